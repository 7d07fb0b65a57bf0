import { openFile } from '../../files/download.ts';
import type { Action } from '../action.ts';

/** GET /files/public/{path} */
export const publicContent: Action<'files_publicContent'> = ({ params }, db, { files }) =>
  openFile(files, db, { publicPath: params.path });
