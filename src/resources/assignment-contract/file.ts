import type { Action } from '../../engine/action.ts';
import { openFile } from '../files/download.ts';

/** GET /assignment-contract/{id}/file: returns the content of the contract's file. */
export const file: Action<'assignmentContract_file'> = ({ id }, db, { files }) => openFile(files, db, { contract: id });
