import type { Action } from '../../engine/action.ts';
import { openFile } from '../files/download.ts';

/** GET /assignment-contract/{id}/file: the content of the file that the contract names by its path. */
export const file: Action<'assignmentContract_file'> = ({ id }, db, { files }) => openFile(files, db, { contract: id });
