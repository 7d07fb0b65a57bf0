import { readFileSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import { resolve } from 'node:path';
import type { S3Options } from '../../files/s3-store.ts';
import { type Algorithm, KeyError, type KeySet, parseKeySet } from '../../tenancy/keys.ts';
import { codeOf, type Problems } from './problems.ts';
import type { ConfigValues } from './values.ts';

const readPem = (name: 'TLS_CERT' | 'TLS_KEY', path: string, problems: Problems): string => {
  try {
    const pem = readFileSync(path, 'utf8');
    if (!pem.includes('-----BEGIN ')) problems.addInvalid(name, path, 'the file contains no PEM data');
    return pem;
  } catch (error) {
    problems.addInvalid(name, path, codeOf(error));
    return '';
  }
};

/** A certificate and its key, as PEM strings, and the files that have them. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  readonly files: { readonly cert: string; readonly key: string };
}

/** Reads the certificate and its key; null if neither is set. */
export const readTls = (values: ConfigValues, problems: Problems): TlsFiles | null => {
  const { TLS_CERT: cert, TLS_KEY: key } = values;
  if (cert === undefined && key === undefined) return null;
  if (cert === undefined)
    problems.add('TLS_CERT', 'is missing, although TLS_KEY is set; for example /etc/staffing/tls/fullchain.pem');
  if (key === undefined)
    problems.add('TLS_KEY', 'is missing, although TLS_CERT is set; for example /etc/staffing/tls/privkey.pem');
  return {
    cert: cert === undefined ? '' : readPem('TLS_CERT', String(cert), problems),
    key: key === undefined ? '' : readPem('TLS_KEY', String(key), problems),
    files: { cert: resolve(String(cert)), key: resolve(String(key)) },
  };
};

const isNetwork = (text: string): boolean => {
  const [address = '', prefix] = text.split('/');
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  try {
    if (prefix === undefined) return isIP(address) > 0;
    if (!/^\d{1,3}$/.test(prefix)) return false;
    new BlockList().addSubnet(address, Number(prefix), family);
    return true;
  } catch {
    return false;
  }
};

/** Parses a variable's list of IP addresses and networks. */
export const readNetworks = (
  name: 'TRUST_PROXY' | 'WEBHOOK_NETWORKS',
  values: ConfigValues,
  problems: Problems,
): readonly string[] => {
  const text = values[name];
  const networks = String(text ?? '')
    .split(',')
    .map(part => part.trim())
    .filter(Boolean);
  if (!networks.every(isNetwork)) problems.addInvalid(name, text);
  return networks;
};

/** The configured token keys; null if none are set. */
export const readKeys = (
  text: string | number | undefined,
  algorithm: Algorithm,
  problems: Problems,
): KeySet | null => {
  if (text === undefined) return null;
  try {
    return parseKeySet(String(text), algorithm);
  } catch (error) {
    if (!(error instanceof KeyError)) throw error;
    problems.addInvalid('JWT_KEYS', '', error.message);
    return null;
  }
};

/** The configured object storage; null if files are stored on the local disk. */
export const readS3 = (values: ConfigValues, problems: Problems): S3Options | null => {
  const { FILE_STORAGE: storage, S3_BUCKET: bucket, S3_ENDPOINT: endpoint, S3_PREFIX: prefix } = values;
  const { S3_ACCESS_KEY_ID: id, S3_SECRET_ACCESS_KEY: secret } = values;
  if (storage !== 's3') return null;
  if (bucket === undefined) problems.add('S3_BUCKET', 'is missing, although FILE_STORAGE is s3; for example staffing');
  if (endpoint !== undefined && !URL.canParse(String(endpoint))) problems.addInvalid('S3_ENDPOINT', endpoint);
  if ((id === undefined) !== (secret === undefined))
    problems.add(
      id === undefined ? 'S3_ACCESS_KEY_ID' : 'S3_SECRET_ACCESS_KEY',
      'is missing: set both parts of the access key or none',
    );
  return {
    bucket: String(bucket),
    region: String(values.S3_REGION),
    endpoint: endpoint === undefined ? null : String(endpoint),
    credentials: id === undefined ? null : { accessKeyId: String(id), secretAccessKey: String(secret) },
    pathStyle: values.S3_PATH_STYLE === 'true' || values.S3_PATH_STYLE === '1',
    prefix: String(prefix ?? ''),
  };
};
