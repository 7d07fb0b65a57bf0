import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { readIfPresent, replaceFile } from '../core/disk/secret-file.ts';

/** How a command on the same machine reaches the server of its data folder. */
export interface Channel {
  /** URL of the administration API, without a final slash. */
  readonly url: string;
  /** Sent as a bearer token; a new one at each start of the server. */
  readonly key: string;
}

/** The path of the administration API on the internal port. */
export const administrationPath = '/administration/v1';

const fileOf = (dataDir: string): string => join(dataDir, 'administration.json');

/** Returns a new key. */
export const newKey = (): string => randomBytes(32).toString('base64url');

/**
 * Announces the server in `<dataDir>/administration.json`, if it can be reached on loopback.
 * Only its user may read the file.
 * @returns a function that removes the file
 */
export const announce = (
  dataDir: string,
  { host, port, key }: { readonly host: string; readonly port: number; readonly key: string },
): (() => void) => {
  const local = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  if (!/^(?:localhost|127\.0\.0\.1|::1)$/.test(local)) return () => {};
  const url = `http://${isIPv6(local) ? `[${local}]` : local}:${port}${administrationPath}`;
  replaceFile(fileOf(dataDir), `${JSON.stringify({ url, key } satisfies Channel, null, 2)}\n`);
  return () => rmSync(fileOf(dataDir), { force: true });
};

/** Returns the channel to the server of a data folder, which may have been killed; null: none. */
export const findChannel = (dataDir: string): Channel | null => {
  const text = readIfPresent(fileOf(dataDir));
  return text === null ? null : JSON.parse(text);
};
