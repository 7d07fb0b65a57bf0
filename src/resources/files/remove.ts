import { resources } from '../../../generated/resources.ts';
import type { Action } from '../../engine/action.ts';
import { deleteRecord } from '../../engine/delete.ts';
import { requireFile } from './download.ts';

/** DELETE /files/{id}: deletes the record, unless it is referenced, and then its content. */
export const remove: Action<'files_remove'> = async (call, db, { files }) => {
  await requireFile(call.id, call, db);
  const found = await db.snapshot(({ kysely }) =>
    kysely.selectFrom('files').select('path').where('id', '=', call.id).executeTakeFirst(),
  );
  const reply = await deleteRecord(call, resources.files, db, {});
  if (found) await files.remove(db.tenant.id, found.path);
  return reply;
};
