import { join } from 'node:path';
import { readOrMakeSecret } from '../core/disk/secret-file.ts';
import { generateKeySet, KeyError, type KeySet, parseKeySet } from '../tenancy/keys.ts';
import type { Config } from './config/config.ts';

/**
 * The configured token keys, or the key under `<dataDir>/keys`, generated at the first start.
 * @throws KeyError if the key file is invalid
 */
export const loadKeys = ({ jwt, dataDir }: Pick<Config, 'jwt' | 'dataDir'>): KeySet => {
  if (jwt.keys) return jwt.keys;
  const path = join(dataDir, 'keys', `${jwt.algorithm}.json`);
  const text = readOrMakeSecret(path, () => generateKeySet(jwt.algorithm));
  try {
    return parseKeySet(text, jwt.algorithm);
  } catch (error) {
    throw new KeyError(`${path} contains no usable keys: ${error instanceof Error ? error.message : error}`);
  }
};
