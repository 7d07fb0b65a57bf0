import { choice, flag, folder, integer, text, type Variable } from '../variable.ts';

/** The variables of the file storage. */
export const files = [
  {
    name: 'FILE_STORAGE',
    description: 'Storage of files: the local disk (`disk`) or an S3-compatible object storage (`s3`).',
    default: 'disk',
    example: 's3',
    ...choice('disk', 's3'),
  },
  {
    name: 'FILE_DIR',
    description:
      'Folder of the files and of uploads in progress; instances that store on the disk must share it. Without it `files` under DATA_DIR.',
    example: '/srv/staffing/files',
    ...folder,
  },
  {
    name: 'FILE_LIMIT',
    description: 'Maximum size of a file in bytes.',
    default: '104857600',
    example: '1073741824',
    ...integer(1024, 5_368_709_120),
  },
  {
    name: 'S3_BUCKET',
    description: 'Bucket of the files; required with FILE_STORAGE=s3.',
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
    description: 'URL of an object storage other than Amazon S3.',
    example: 'https://storage.example',
    schema: text('^https?://[^\\s]+$'),
    expected: 'an https:// or http:// URL',
  },
  {
    name: 'S3_PATH_STYLE',
    description:
      'Whether the bucket is part of the path instead of the host name, as many compatible storages require.',
    default: 'false',
    example: 'true',
    ...flag,
  },
  {
    name: 'S3_PREFIX',
    description: 'Prefix of the names of all objects.',
    example: 'production/',
    schema: text('^[A-Za-z0-9._/-]{1,200}$'),
    expected: 'a string of letters, digits and ._/-',
  },
  {
    name: 'S3_ACCESS_KEY_ID',
    description: "Id of the access key; without it the instance's role or profile is used.",
    example: 'AKIDEXAMPLE',
    secret: true,
    schema: text(),
    expected: 'the id of an access key',
  },
  {
    name: 'S3_SECRET_ACCESS_KEY',
    description: 'Secret of the access key.',
    example: 'wJalrXUtnFEMI',
    secret: true,
    schema: text(),
    expected: 'the secret of an access key',
  },
] as const satisfies readonly Variable[];
