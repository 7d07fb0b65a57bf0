import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { replaceFile } from '../../core/disk/secret-file.ts';
import { forgetUnfinished } from '../../db/embedded/embedded.ts';
import { markOf } from '../interrupted-restore.ts';
import type { Revocations } from './carry-over.ts';
import type { Manifest } from './parts.ts';

/** The replacement of an installation's data, described by a mark in the folder until complete. */
export interface Replacement {
  /** The backup. */
  readonly folder: string;
  readonly manifest: Manifest;
  /** What has been taken over from the data that are replaced. */
  readonly revocations: Revocations;
  /** The folder of restored data that is removed at the end. */
  readonly stage: string;
  /** The parts: where each is restored, where it belongs, and where what was there before is moved. */
  readonly moves: readonly { readonly from: string; readonly to: string; readonly aside: string }[];
}

/**
 * Replaces the data, also after an interruption: what has been moved stays.
 * @param move renames a folder; for tests
 * @returns where the data that were there before are now
 */
export const replace = async (
  replacement: Replacement,
  dataDir: string,
  move: typeof rename = rename,
): Promise<readonly string[]> => {
  replaceFile(markOf(dataDir), JSON.stringify(replacement));
  forgetUnfinished(dataDir);
  for (const { from, to, aside } of replacement.moves) {
    if (!existsSync(from)) continue;
    if (existsSync(to)) await move(to, aside);
    await move(from, to);
  }
  await rm(replacement.stage, { recursive: true, force: true });
  await rm(markOf(dataDir));
  return replacement.moves.map(({ aside }) => aside).filter(existsSync);
};
