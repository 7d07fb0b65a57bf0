import type { Action } from '../../engine/action.ts';
import { openFile, requireFile } from './download.ts';

/** GET /files/{id}/content: returns the content of a file. */
export const content: Action<'files_content'> = async (call, db, { files }) => {
  await requireFile(call.id, call, db);
  return openFile(files, db, { id: call.id });
};
