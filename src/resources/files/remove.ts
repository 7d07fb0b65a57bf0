import { resources } from '../../../generated/resources.ts';
import type { Action } from '../../engine/action.ts';
import { deleteRecord } from '../../engine/delete.ts';
import { files as rules } from './rules.ts';

/** DELETE /files/{id}: the record, unless others refer to it, and then, as no one can find it any more, its content. */
export const remove: Action<'files_remove'> = async (call, db, { files }) => {
  const found = await db.snapshot(({ kysely }) =>
    kysely.selectFrom('files').select('path').where('id', '=', call.id).executeTakeFirst(),
  );
  const reply = await deleteRecord(call, resources.files, db, rules);
  // What can't be removed now has no record: the sweeper removes it.
  if (found) await files.remove(db.tenant.id, found.path).catch(() => {});
  return reply;
};
