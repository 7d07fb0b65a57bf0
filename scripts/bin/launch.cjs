// In syntax that older Node.js versions can parse: a command of a package runs on the Node.js of the machine, which may be too old for the
// sources. The package brings another one (node-linux-*).
var path = require('node:path');
var spawn = require('node:child_process').spawn;
var flags = require('./node-flags.cjs');

var findNode = () => {
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  try {
    return require.resolve(`node-linux-${process.arch}/bin/node`);
  } catch (_) {
    return require('../node-version.cjs');
  }
};

/** Runs a module of the server with this process's arguments, signals and exit status. */
module.exports = entry => {
  var program = path.join(__dirname, '../../dist/server/src', entry);
  var child = spawn(findNode(), flags.concat(program, process.argv.slice(2)), {
    stdio: 'inherit',
  });
  ['SIGINT', 'SIGTERM', 'SIGUSR2'].forEach(signal => {
    process.on(signal, () => {
      child.kill(signal);
    });
  });
  child.on('exit', (status, signal) => {
    process.exitCode = signal ? 1 : status;
  });
};
