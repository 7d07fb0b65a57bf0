import { ApiError } from '../../errors.ts';
import type { Action } from '../action.ts';

/** GET /assignment-contract/{id}/file: the content of the file that the contract names; 404 as long as no content is kept. */
export const file: Action<'assignmentContract_file'> = async ({ id }, db) => {
  await db.snapshot(({ kysely }) =>
    kysely.selectFrom('assignment_contract').select('file').where('id', '=', id).executeTakeFirst(),
  );
  throw new ApiError('not_found');
};
