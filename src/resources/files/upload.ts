import { randomUUID } from 'node:crypto';
import { resources } from '../../../generated/resources.ts';
import type { RawContent } from '../../core/call/call.ts';
import { fieldError, validationFailed } from '../../core/errors.ts';
import { root } from '../../core/root.ts';
import type { Action } from '../../engine/action.ts';
import { endWithRecord } from '../../engine/verb.ts';
import { insert } from '../../engine/write.ts';
import { readType, unknownType } from '../../files/mime.ts';
import { readFileName } from '../../files/name.ts';

/** POST /files (specification, "File upload"): adds the record of the body, which is already stored. */
export const upload: Action<'files_upload'> = async (call, db) => {
  const { content } = call;
  if (!content) throw new Error('The operation takes a raw body.');
  const { 'x-file-name': name = '', 'x-file-visibility': visibility = 'private' } = call.headers.declared;
  if (visibility !== 'private' && visibility !== 'public')
    throw validationFailed([fieldError('not_in_enumeration', 'visibility')]);
  const values = {
    path: content.path,
    name: readFileName(name) || generateName(content),
    mime: readType(content.type) ?? content.detected?.mime ?? unknownType,
    status: 1,
    user_id: call.principal.apiUser.id,
    visibility,
    size: content.size,
  };
  const reply = await db.transaction(async transaction => {
    const id = await insert(call.fields.get(resources.files), values, transaction);
    const shown = await endWithRecord(resources.files, id, call, transaction);
    return { ...shown, status: 201 as const, headers: { location: `${root}/files/${id}` } };
  });
  content.keep();
  return reply;
};

const generateName = ({ detected }: RawContent): string => {
  const stem = `file-${randomUUID()}`;
  return detected ? `${stem}.${detected.extension}` : stem;
};
