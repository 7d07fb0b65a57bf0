import { openFile } from '../../files/download.ts';
import type { Action } from '../action.ts';

/** GET /files/{id}/content */
export const content: Action<'files_content'> = ({ id }, db, { files }) => openFile(files, db, { id });
