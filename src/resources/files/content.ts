import type { Action } from '../../engine/action.ts';
import { openFile } from './download.ts';

/** GET /files/{id}/content: returns the content of a file. */
export const content: Action<'files_content'> = ({ id }, db, { files }) => openFile(files, db, { id });
