import type { Files } from '../files/files.ts';

/** What actions need beside the database. */
export interface Services {
  readonly files: Files;
}
