// Loaded into every process of the service (node --require), worker threads too, where the embedded database reads the time: the
// clock stands at the modification time of a file, which the witness moves. The 16 random bytes of a file's path are derived from
// it, since tags and orders depend on them.
const crypto = require('node:crypto');
const { statSync } = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');
const { fixDate } = require('./fixed-date.cjs');

const file = process.env.WITNESS_CLOCK;
if (file) {
  const now = () => Math.trunc(statSync(file).mtimeMs);
  fixDate(now);

  const { randomBytes } = crypto;
  let calls = 0;
  crypto.randomBytes = (size, ...rest) =>
    size === 16 && rest.length === 0
      ? crypto.createHash('md5').update(`${now()} ${calls++}`).digest()
      : randomBytes(size, ...rest);
  syncBuiltinESMExports();
}
