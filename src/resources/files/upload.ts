import { randomUUID } from 'node:crypto';
import { resources } from '../../../generated/resources.ts';
import type { RawContent } from '../../core/call/call.ts';
import { invalidField } from '../../core/errors.ts';
import { root } from '../../core/root.ts';
import type { Action } from '../../engine/action.ts';
import { endWithRecord } from '../../engine/verb.ts';
import { insert } from '../../engine/write.ts';
import type { Files } from '../../files/files.ts';
import { isText, readType, textType, typeOfName, unknownType } from '../../files/mime.ts';
import { readFileName } from '../../files/name.ts';

/** POST /files: adds the record of the body, which is already stored. See docs/decisions.md, "Files". */
export const upload: Action<'files_upload'> = async (call, db, { files }) => {
  const { content } = call;
  if (!content) throw new Error('The operation takes a raw body.');
  const { 'x-file-name': name = '', 'x-file-visibility': visibility = 'private' } = call.headers.declared;
  if (visibility !== 'private' && visibility !== 'public') throw invalidField('not_in_enumeration', 'visibility');
  const given = readFileName(name);
  const values = {
    path: content.path,
    name: given || generateName(content),
    mime: readType(content.type) ?? (await identify(content, given, call.principal.tenant.id, files)),
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

/** Returns the type of content that is sent without one. */
const identify = async (
  content: RawContent,
  name: string,
  tenantId: number,
  files: Pick<Files, 'open'>,
): Promise<string> => {
  const known = content.detected?.mime ?? (await typeOfName(name));
  if (known) return known;
  return (await isText(await files.open(tenantId, content))) ? textType : unknownType;
};

const generateName = ({ detected }: RawContent): string => {
  const stem = `file-${randomUUID()}`;
  return detected ? `${stem}.${detected.extension}` : stem;
};
