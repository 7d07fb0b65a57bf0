import type { Action } from '../../engine/action.ts';
import { openFile } from './download.ts';

/** GET /files/{id}/content */
export const content: Action<'files_content'> = ({ id }, db, { files }) => openFile(files, db, { id });
