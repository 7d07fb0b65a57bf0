import { readFileSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import { type Algorithm, KeyError, type KeySet, parseKeySet } from '../tenancy/keys.ts';
import { codeOf, type Problems } from './problems.ts';
import type { Values } from './values.ts';

const readPem = (name: 'TLS_CERT' | 'TLS_KEY', path: string, problems: Problems): string => {
  try {
    const pem = readFileSync(path, 'utf8');
    if (!pem.includes('-----BEGIN ')) problems.wrong(name, path, 'the file holds no PEM text');
    return pem;
  } catch (error) {
    problems.wrong(name, path, codeOf(error));
    return '';
  }
};

/** The PEM texts of the certificate and its key; null: neither is set. */
export const readTls = (values: Values, problems: Problems): { readonly cert: string; readonly key: string } | null => {
  const { TLS_CERT: cert, TLS_KEY: key } = values;
  if (cert === undefined && key === undefined) return null;
  if (cert === undefined)
    problems.add('TLS_CERT', 'is missing, although TLS_KEY is set; for example /etc/staffing/tls/fullchain.pem');
  if (key === undefined)
    problems.add('TLS_KEY', 'is missing, although TLS_CERT is set; for example /etc/staffing/tls/privkey.pem');
  return {
    cert: cert === undefined ? '' : readPem('TLS_CERT', String(cert), problems),
    key: key === undefined ? '' : readPem('TLS_KEY', String(key), problems),
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

/** The proxies whose word counts. */
export const readNetworks = (text: string | number | undefined, problems: Problems): readonly string[] => {
  const networks = String(text ?? '')
    .split(',')
    .map(part => part.trim())
    .filter(Boolean);
  if (!networks.every(isNetwork)) problems.wrong('TRUST_PROXY', text);
  return networks;
};

/** The configured keys of tokens; null: none. */
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
    problems.wrong('JWT_KEYS', '', error.message);
    return null;
  }
};
