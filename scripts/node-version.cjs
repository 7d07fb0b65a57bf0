// Loaded first (node --require), in syntax that every Node.js version can parse: the sources need a recent one.
var needed = 24;
if (Number(process.versions.node.split('.')[0]) < needed) {
  console.error(
    'Node.js ' +
      needed +
      ' or newer is required, but this is ' +
      process.version +
      '. "npm ci" on Linux (x64, arm64) installs it for "npm start" and "npm run"; on other systems, install it separately.',
  );
  process.exit(1);
}
