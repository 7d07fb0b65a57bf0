import { choice, filePath, integer, networks, text, type Variable } from '../variable.ts';

/** The variables of host names, TLS, tokens and rate limits. */
export const access = [
  {
    name: 'BASE_DOMAIN',
    description: 'Domain under which each tenant has a host name: `<tenant>.<BASE_DOMAIN>`.',
    default: 'localhost',
    example: 'staffing.example',
    schema: text('^(?=.{1,190}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$'),
    expected: 'a domain name in lower case',
  },
  {
    name: 'TLS_CERT',
    description:
      'File of the certificate chain (PEM). Without it a development authority under DATA_DIR issues certificates; in production a proxy in TRUST_PROXY terminates TLS.',
    example: '/etc/staffing/tls/fullchain.pem',
    ...filePath,
  },
  {
    name: 'TLS_KEY',
    description: "File of the certificate's private key (PEM); set together with TLS_CERT.",
    example: '/etc/staffing/tls/privkey.pem',
    ...filePath,
  },
  {
    name: 'TRUST_PROXY',
    description:
      'IP addresses or networks of the proxies whose X-Forwarded-* headers are trusted, separated by commas.',
    example: '10.0.0.0/8,192.168.1.7',
    ...networks,
  },
  {
    name: 'JWT_ALGORITHM',
    description: 'The only accepted signature algorithm of tokens.',
    default: 'HS256',
    example: 'ES256',
    ...choice('HS256', 'RS256', 'ES256'),
  },
  {
    name: 'JWT_KEYS',
    description:
      'Token keys as a JSON Web Key Set: the first one signs, all verify, selected by `kid`. Without it a key is generated once under DATA_DIR. `staffing key create` prints a key set.',
    example: '{"keys":[{"kty":"oct","kid":"2026-01","k":"<base64url of 32 bytes or more>"}]}',
    secret: true,
    schema: text(),
    expected: 'a JSON Web Key Set whose keys match JWT_ALGORITHM, each with a different kid',
  },
  {
    name: 'JWT_ISSUER',
    description: 'The issuer (`iss`) of issued tokens, required in received tokens.',
    default: 'staffing',
    example: 'https://staffing.example',
    schema: { type: 'string', minLength: 1, maxLength: 200 },
    expected: 'a string of at most 200 characters',
  },
  {
    name: 'RATE_LIMIT',
    description: 'Allowed requests per period of each API user, unless its tenant has a limit of its own.',
    default: '600',
    example: '6000',
    ...integer(1, 1_000_000_000),
  },
  {
    name: 'RATE_LIMIT_PERIOD',
    description: 'Length of a rate-limit period in seconds.',
    default: '60',
    example: '3600',
    ...integer(1, 86_400),
  },
  {
    name: 'CONCURRENCY_LIMIT',
    description: 'Allowed requests of each API user in progress at once, per process.',
    default: '20',
    example: '100',
    ...integer(1, 1_000_000),
  },
  {
    name: 'REDIS_URL',
    description:
      'Redis server in which several instances share their request counters; without it each instance counts on its own.',
    example: 'redis://:secret@redis.example:6379/0',
    secret: true,
    schema: text('^rediss?://[^\\s]+$'),
    expected: 'a redis:// or rediss:// URL',
  },
] as const satisfies readonly Variable[];
