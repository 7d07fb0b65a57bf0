import type { Action } from '../../engine/action.ts';
import { openFile } from './download.ts';

/** GET /files/public/{path}: returns the content of a public file. */
export const publicContent: Action<'files_publicContent'> = ({ params }, db, { files }) =>
  openFile(files, db, { publicPath: params.path });
