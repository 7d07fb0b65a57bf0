/** One environment variable: the table from which Config is read, errors are worded and README's table is checked. */
export interface Variable {
  readonly name: string;
  readonly description: string;
  /** As it would be written in the environment; null: there is none. */
  readonly default: string | null;
  readonly example: string;
  /** What a value must be, for an error: "expected …". */
  readonly expected: string;
  /** JSON Schema of the value, after Ajv has turned the text into the schema's type. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Never shown; may be read from the file that `<name>_FILE` names. */
  readonly secret?: true;
}

const text = (pattern?: string) => ({ type: 'string', ...(pattern ? { pattern } : {}) });
const integer = (minimum: number, maximum: number) => ({
  schema: { type: 'integer', minimum, maximum },
  expected: `an integer from ${minimum} to ${maximum}`,
});
const choice = (...values: readonly string[]) => ({
  schema: { type: 'string', enum: values },
  expected: `one of ${values.join(', ')}`,
});
const flag = choice('true', 'false', '1', '0');
const postgres = { schema: text('^postgres(ql)?://[^\\s]+$'), expected: 'a postgres:// address' };
const filePath = { schema: text(), expected: 'the path of a readable PEM file' };

/** Every variable that the service reads, in the order in which README lists them. */
export const variables = [
  {
    name: 'PORT',
    description: 'Port of the API (HTTPS).',
    default: '8443',
    example: '8443',
    ...integer(0, 65535),
  },
  {
    name: 'HOST',
    description: 'Address to listen on; without it every address of the machine.',
    default: null,
    example: '127.0.0.1',
    schema: text('^[A-Za-z0-9.:_-]+$'),
    expected: 'an IP address or host name',
  },
  {
    name: 'INTERNAL_PORT',
    description: 'Port of health checks, for the inside of the network only (HTTP).',
    default: '9443',
    example: '9443',
    ...integer(0, 65535),
  },
  {
    name: 'INTERNAL_HOST',
    description: 'Address that the internal port listens on.',
    default: '127.0.0.1',
    example: '0.0.0.0',
    schema: text('^[A-Za-z0-9.:_-]+$'),
    expected: 'an IP address or host name',
  },
  {
    name: 'DATABASE_URL',
    description: 'The Postgres database; without it an embedded one under DATA_DIR, for one process.',
    default: null,
    example: 'postgres://staffing:secret@db.example:5432/staffing',
    secret: true,
    ...postgres,
  },
  {
    name: 'MIGRATION_DATABASE_URL',
    description: 'Address for migrations: direct, where DATABASE_URL leads through a pooler; or another login.',
    default: null,
    example: 'postgres://owner:secret@db.example:5432/staffing',
    secret: true,
    ...postgres,
  },
  {
    name: 'DATABASE_MIGRATE',
    description: 'Whether the server applies pending migrations when it starts; `staffing migrate` always does.',
    default: 'true',
    example: 'false',
    ...flag,
  },
  {
    name: 'DATABASE_POOL',
    description: 'Connections to Postgres at most, per process.',
    default: '10',
    example: '20',
    ...integer(1, 1000),
  },
  {
    name: 'DATABASE_PREPARED',
    description: 'Named prepared statements; `false` behind a pooler that does not know them (PgBouncer before 1.21).',
    default: 'true',
    example: 'false',
    ...flag,
  },
  {
    name: 'STATEMENT_TIMEOUT',
    description: 'Milliseconds that one database statement may take; longer is answered with 503.',
    default: '5000',
    example: '10000',
    ...integer(100, 600_000),
  },
  {
    name: 'ALLOW_EMBEDDED',
    description: 'Lets the embedded database run with NODE_ENV=production.',
    default: 'false',
    example: 'true',
    ...flag,
  },
  {
    name: 'DATA_DIR',
    description: 'Folder of what the server itself keeps: embedded database, development certificate, token keys.',
    default: 'data',
    example: '/var/lib/staffing',
    schema: text(),
    expected: 'the path of a folder',
  },
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
    description: 'File of the certificate chain (PEM); without it a self-signed certificate for development is made.',
    default: null,
    example: '/etc/staffing/tls/fullchain.pem',
    ...filePath,
  },
  {
    name: 'TLS_KEY',
    description: "File of the certificate's private key (PEM); set together with TLS_CERT.",
    default: null,
    example: '/etc/staffing/tls/privkey.pem',
    ...filePath,
  },
  {
    name: 'TRUST_PROXY',
    description: 'Addresses or networks of the proxies whose X-Forwarded-* headers count, separated by commas.',
    default: null,
    example: '10.0.0.0/8,192.168.1.7',
    schema: text(),
    expected: 'IP addresses or networks (address/prefix), separated by commas',
  },
  {
    name: 'JWT_ALGORITHM',
    description: 'The one signature algorithm of tokens.',
    default: 'HS256',
    example: 'ES256',
    ...choice('HS256', 'RS256', 'ES256'),
  },
  {
    name: 'JWT_KEYS',
    description:
      'Keys of tokens as a JSON Web Key Set: the first signs, all verify, chosen by `kid`. Without it a key is made once under DATA_DIR. `staffing key create` prints a set.',
    default: null,
    example: '{"keys":[{"kty":"oct","kid":"2026-01","k":"<base64url of 32 bytes or more>"}]}',
    secret: true,
    schema: text(),
    expected: 'a JSON Web Key Set whose keys fit JWT_ALGORITHM, each with a kid of its own',
  },
  {
    name: 'JWT_ISSUER',
    description: 'The issuer (`iss`) that tokens carry and must carry.',
    default: 'staffing',
    example: 'https://staffing.example',
    schema: { type: 'string', minLength: 1, maxLength: 200 },
    expected: 'a text of at most 200 characters',
  },
  {
    name: 'RATE_LIMIT',
    description: 'Requests per period of each API user, where its tenant has no limit of its own.',
    default: '600',
    example: '6000',
    ...integer(1, 1_000_000_000),
  },
  {
    name: 'RATE_LIMIT_PERIOD',
    description: 'Seconds of a rate-limit period.',
    default: '60',
    example: '3600',
    ...integer(1, 86_400),
  },
  {
    name: 'REDIS_URL',
    description:
      'A Redis in which several instances count requests together; without it each counts in its own memory.',
    default: null,
    example: 'redis://:secret@redis.example:6379/0',
    secret: true,
    schema: text('^rediss?://[^\\s]+$'),
    expected: 'a redis:// or rediss:// address',
  },
  {
    name: 'BODY_LIMIT',
    description: 'Bytes of a request body at most, after decompression.',
    default: '1048576',
    example: '4194304',
    ...integer(1024, 104_857_600),
  },
  {
    name: 'JSON_DEPTH_LIMIT',
    description: 'Levels of nesting of a request body at most.',
    default: '64',
    example: '32',
    ...integer(1, 1000),
  },
  {
    name: 'URL_LIMIT',
    description: 'Bytes of a request address at most.',
    default: '8192',
    example: '16000',
    ...integer(256, 16_000),
  },
  {
    name: 'FILTER_LIMIT',
    description: 'Filter conditions of a request at most.',
    default: '50',
    example: '100',
    ...integer(1, 1000),
  },
  {
    name: 'FILTER_VALUE_LIMIT',
    description: 'Alternatives (OR) of all filters of a request at most.',
    default: '500',
    example: '1000',
    ...integer(1, 10_000),
  },
  {
    name: 'SORT_LIMIT',
    description: 'Fields that a request sorts by at most.',
    default: '10',
    example: '5',
    ...integer(1, 100),
  },
  {
    name: 'EMBED_LIMIT',
    description: 'Relations that a request embeds at most.',
    default: '5',
    example: '10',
    ...integer(1, 100),
  },
  {
    name: 'SPOOL_FILES',
    description: 'Listings without `limit` at most that are held in temporary files at once; past it 503.',
    default: '50',
    example: '200',
    ...integer(1, 10_000),
  },
  {
    name: 'SPOOL_BYTES',
    description: 'Bytes of all those temporary files together at most; past it 503.',
    default: '4294967296',
    example: '17179869184',
    ...integer(16_777_216, Number.MAX_SAFE_INTEGER),
  },
  {
    name: 'FILE_STORAGE',
    description: 'Where files lie: on the local disk (`disk`) or in an S3-compatible object storage (`s3`).',
    default: 'disk',
    example: 's3',
    ...choice('disk', 's3'),
  },
  {
    name: 'FILE_DIR',
    description:
      'Folder of the files, and of those that are still arriving; the same one for all instances that use the disk. Without it `files` under DATA_DIR.',
    default: null,
    example: '/srv/staffing/files',
    schema: text(),
    expected: 'the path of a folder',
  },
  {
    name: 'FILE_LIMIT',
    description: 'Bytes of a file at most.',
    default: '104857600',
    example: '1073741824',
    ...integer(1024, 5_368_709_120),
  },
  {
    name: 'S3_BUCKET',
    description: 'Bucket of the files; required with FILE_STORAGE=s3.',
    default: null,
    example: 'staffing',
    schema: text('^[A-Za-z0-9._-]{1,255}$'),
    expected: 'the name of a bucket',
  },
  {
    name: 'S3_REGION',
    description: 'Region of the object storage.',
    default: 'us-east-1',
    example: 'eu-central-1',
    schema: text('^[A-Za-z0-9-]{1,64}$'),
    expected: 'the name of a region',
  },
  {
    name: 'S3_ENDPOINT',
    description: "Address of an object storage other than Amazon's.",
    default: null,
    example: 'https://storage.example',
    schema: text('^https?://[^\\s]+$'),
    expected: 'an https:// or http:// address',
  },
  {
    name: 'S3_PATH_STYLE',
    description: 'Whether the bucket is part of the path, not of the host name, as many compatible storages want it.',
    default: 'false',
    example: 'true',
    ...flag,
  },
  {
    name: 'S3_PREFIX',
    description: 'What the names of all objects begin with.',
    default: null,
    example: 'production/',
    schema: text('^[A-Za-z0-9._/-]{1,200}$'),
    expected: 'a text of letters, digits and ._/-',
  },
  {
    name: 'S3_ACCESS_KEY_ID',
    description: "First part of the access key; without it the machine's own role or profile is used.",
    default: null,
    example: 'AKIDEXAMPLE',
    secret: true,
    schema: text(),
    expected: 'the id of an access key',
  },
  {
    name: 'S3_SECRET_ACCESS_KEY',
    description: 'Second part of the access key.',
    default: null,
    example: 'wJalrXUtnFEMI',
    secret: true,
    schema: text(),
    expected: 'the secret of an access key',
  },
  {
    name: 'AUTOMATIONS',
    description:
      'Whether this process does the work of automations; `false` for instances that only answer requests. What sets automations off is kept in the database until one does.',
    default: 'true',
    example: 'false',
    ...flag,
  },
  {
    name: 'WEBHOOK_TIMEOUT',
    description: 'Seconds that the receiver of a webhook may take.',
    default: '10',
    example: '5',
    ...integer(1, 60),
  },
  {
    name: 'WEBHOOK_ATTEMPTS',
    description: 'How often a webhook is sent that is not accepted, with pauses that grow from seconds to a day.',
    default: '10',
    example: '5',
    ...integer(1, 30),
  },
  {
    name: 'WEBHOOK_NETWORKS',
    description:
      'Private addresses or networks that webhooks may be sent to all the same, separated by commas; without it only public addresses.',
    default: null,
    example: '10.1.0.0/16',
    schema: text(),
    expected: 'IP addresses or networks (address/prefix), separated by commas',
  },
  {
    name: 'WEBHOOK_HTTP',
    description: 'Whether webhooks may be sent over plain HTTP.',
    default: 'false',
    example: 'true',
    ...flag,
  },
  {
    name: 'SHUTDOWN_DELAY',
    description: 'Seconds for which a stopping server goes on accepting requests, already reported as not ready.',
    default: '0',
    example: '5',
    ...integer(0, 300),
  },
  {
    name: 'SHUTDOWN_TIMEOUT',
    description: 'Seconds that a stopping server gives to requests under way.',
    default: '30',
    example: '60',
    ...integer(1, 600),
  },
  {
    name: 'LOG_LEVEL',
    description: 'The least severe level that is logged.',
    default: 'info',
    example: 'debug',
    ...choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  },
] as const satisfies readonly Variable[];

export type Name = (typeof variables)[number]['name'];
