import { integer, type Variable } from '../variable.ts';

/** How much one request may ask for. */
export const limits = [
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
] as const satisfies readonly Variable[];
