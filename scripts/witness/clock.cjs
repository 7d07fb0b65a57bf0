// Loaded into every process of the service (node --require), worker threads too, where the embedded database reads the time: the
// clock stands at the modification time of a file, which the witness moves. The 16 random bytes of a file's path are derived from
// it, since tags and orders depend on them.
const crypto = require('node:crypto');
const { statSync } = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');

const file = process.env.WITNESS_CLOCK;
if (file) {
  const Real = Date;
  const now = () => Math.trunc(statSync(file).mtimeMs);
  Real.now = now;
  const Fixed = new Proxy(Real, {
    construct: (target, args, self) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, self === Fixed ? target : self),
    apply: () => new Real(now()).toString(),
  });
  globalThis.Date = Fixed;

  const { randomBytes } = crypto;
  let calls = 0;
  crypto.randomBytes = (size, ...rest) =>
    size === 16 && rest.length === 0
      ? crypto.createHash('md5').update(`${now()} ${calls++}`).digest()
      : randomBytes(size, ...rest);
  syncBuiltinESMExports();
}
