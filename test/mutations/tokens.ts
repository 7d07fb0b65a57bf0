import type { Mutation } from '../../scripts/mutate/mutation.ts';

const claims = ['test/tenancy/claims.test.ts'];

export default [
  {
    guarantee: 'The algorithm of a token is the configured one, whatever its header says.',
    file: 'src/tenancy/tokens.ts',
    find: `  const key = findKey(readObject(header), keys);
  const claims = readObject(payload);
  decode(signature);
  try {
    jsonwebtoken.verify(token, key, { algorithms: [keys.algorithm], `,
    replace: `  const key = findKey({ ...readObject(header), alg: keys.algorithm }, keys);
  const claims = readObject(payload);
  decode(signature);
  try {
    jsonwebtoken.verify(token, key, { `,
    tests: claims,
  },
  {
    guarantee: 'A token with critical extensions is invalid.',
    file: 'src/tenancy/tokens.ts',
    find: "if (alg !== keys.algorithm || 'crit' in header)",
    replace: 'if (alg !== keys.algorithm)',
    tests: claims,
  },
  {
    guarantee: 'A token has the kid of a key.',
    file: 'src/tenancy/tokens.ts',
    find: '  if (!key) throw invalid();\n  return key;',
    replace: '  return key ?? keys.signing.key;',
    tests: claims,
  },
  {
    guarantee: 'A token has an expiry that is a time.',
    file: 'src/tenancy/tokens.ts',
    find: 'if (!isTime(iat) || !isTime(exp) || exp <= iat',
    replace: 'if (!isTime(iat) || exp <= iat',
    tests: claims,
  },
  {
    guarantee: 'A token that was issued in the future is invalid.',
    file: 'src/tenancy/tokens.ts',
    find: ' || iat > now + leeway) throw',
    replace: ') throw',
    tests: claims,
  },
  {
    guarantee: 'A token has one spelling.',
    file: 'src/tenancy/tokens.ts',
    find: "  if (bytes.toString('base64url') !== text) throw invalid();\n",
    replace: '',
    tests: claims,
  },
  {
    guarantee: 'A token has 4 kB at most.',
    file: 'src/tenancy/tokens.ts',
    find: 'token.length > maxBytes || ',
    replace: '',
    tests: claims,
  },
  {
    guarantee: 'The secret that signs tokens has at least 32 bytes.',
    file: 'src/tenancy/keys.ts',
    find: 'secret.length < 32',
    replace: 'secret.length < 16',
    tests: ['test/server/config/config.test.ts'],
    names: 'names JWT_KEYS for a secret',
  },
  {
    guarantee: 'A clock that is half a minute off is tolerated.',
    file: 'src/tenancy/tokens.ts',
    find: 'const leeway = 30;',
    replace: 'const leeway = 20;',
    tests: claims,
  },
  {
    guarantee: 'A clock that is more than half a minute off is not tolerated.',
    file: 'src/tenancy/tokens.ts',
    find: 'if (exp <= now - leeway)',
    replace: 'if (exp <= now - 2 * leeway)',
    tests: claims,
  },
] satisfies readonly Mutation[];
