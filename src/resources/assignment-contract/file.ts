import { resources } from '../../../generated/resources.ts';
import { ApiError } from '../../core/errors.ts';
import { isConcealed } from '../../core/resource/fields.ts';
import type { Action } from '../../engine/action.ts';
import { openFile } from '../files/download.ts';

/** GET /assignment-contract/{id}/file: returns the content of a contract's readable `file`. */
export const file: Action<'assignmentContract_file'> = async ({ id, fields }, db, { files }) => {
  if (isConcealed(fields.get(resources['assignment-contract']), 'file')) throw new ApiError('not_found');
  return openFile(files, db, { contract: id });
};
