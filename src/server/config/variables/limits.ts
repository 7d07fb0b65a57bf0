import { integer, type Variable } from '../variable.ts';

/** The variables that limit requests. */
export const limits = [
  {
    name: 'BODY_LIMIT',
    description: 'Maximum size of a request body in bytes, after decompression.',
    default: '1048576',
    example: '4194304',
    ...integer(1024, 104_857_600),
  },
  {
    name: 'IMPORT_LIMIT',
    description: 'Maximum size of an import in bytes, after decompression.',
    default: '1073741824',
    example: '104857600',
    ...integer(1024, 107_374_182_400),
  },
  {
    name: 'BODY_TIMEOUT',
    description: 'Maximum number of seconds for sending a request body; above it the response is 408.',
    default: '3600',
    example: '600',
    ...integer(1, 86_400),
  },
  {
    name: 'JSON_DEPTH_LIMIT',
    description: 'Maximum nesting depth of a request body.',
    default: '64',
    example: '32',
    ...integer(1, 1000),
  },
  {
    name: 'URL_LIMIT',
    description: 'Maximum length of a request URL in bytes.',
    default: '8192',
    example: '16000',
    ...integer(256, 16_000),
  },
  {
    name: 'FILTER_LIMIT',
    description: 'Maximum number of filter conditions of a request.',
    default: '50',
    example: '100',
    ...integer(1, 1000),
  },
  {
    name: 'FILTER_VALUE_LIMIT',
    description: 'Maximum number of alternatives (OR) in all filters of a request.',
    default: '500',
    example: '1000',
    ...integer(1, 10_000),
  },
  {
    name: 'FILTER_BYTES_LIMIT',
    description: 'Maximum length of each of these alternatives in bytes.',
    default: '1024',
    example: '256',
    ...integer(1, 16_000),
  },
  {
    name: 'SORT_LIMIT',
    description: 'Maximum number of fields that a request sorts by.',
    default: '10',
    example: '5',
    ...integer(1, 100),
  },
  {
    name: 'EMBED_LIMIT',
    description: 'Maximum number of relations that a request embeds.',
    default: '5',
    example: '10',
    ...integer(1, 100),
  },
  {
    name: 'EMBED_ROWS',
    description: 'Maximum number of records of to-many relations that a response embeds.',
    default: '50000',
    example: '10000',
    ...integer(1, 1_000_000),
  },
  {
    name: 'SPOOL_FILES',
    description:
      'Maximum number of listings without `limit` held in temporary files at once; above it the response is 503.',
    default: '50',
    example: '200',
    ...integer(1, 10_000),
  },
  {
    name: 'SPOOL_BYTES',
    description: 'Maximum total size of these temporary files in bytes; above it the response is 503.',
    default: '4294967296',
    example: '17179869184',
    ...integer(16_777_216, Number.MAX_SAFE_INTEGER),
  },
  {
    name: 'READ_CACHE',
    description:
      'Memory for responses to reads per process, in MiB: repeated as long as the database confirms that nothing they are read from has changed. 0: none is kept.',
    default: '32',
    example: '256',
    ...integer(0, 65_536),
  },
] as const satisfies readonly Variable[];
