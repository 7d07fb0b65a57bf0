// Loaded first (node --require), in syntax that every Node.js version can parse: the sources need a recent one.
var needed = 24;
if (Number(process.versions.node.split('.')[0]) < needed) {
  console.error(
    'Node.js ' +
      needed +
      ' or newer is needed, this is ' +
      process.version +
      '. "npm ci" on Linux (x64, arm64) brings one along, used by "npm start" and "npm run"; elsewhere it must be installed.',
  );
  process.exit(1);
}
