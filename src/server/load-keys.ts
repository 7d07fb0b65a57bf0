import { join } from 'node:path';
import { generateKeySet, KeyError, type KeySet, parseKeySet } from '../tenancy/keys.ts';
import type { Config } from './config/config.ts';
import { readOrMakeSecret } from './secret-file.ts';

/** The configured keys, or the one under `<dataDir>/keys`, made at the first start. @throws KeyError */
export const loadKeys = ({ jwt, dataDir }: Pick<Config, 'jwt' | 'dataDir'>): KeySet => {
  if (jwt.keys) return jwt.keys;
  const path = join(dataDir, 'keys', `${jwt.algorithm}.json`);
  const text = readOrMakeSecret(path, () => generateKeySet(jwt.algorithm));
  try {
    return parseKeySet(text, jwt.algorithm);
  } catch (error) {
    throw new KeyError(`${path} does not hold usable keys: ${error instanceof Error ? error.message : error}`);
  }
};
