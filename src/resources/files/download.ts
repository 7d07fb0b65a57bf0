import { create } from 'content-disposition';
import { resources } from '../../../generated/resources.ts';
import type { Reply, StreamBody } from '../../core/call/reply.ts';
import { ApiError } from '../../core/errors.ts';
import type { TenantDb } from '../../db/database.ts';
import { shown } from '../../engine/verb.ts';
import type { Files } from '../../files/files.ts';
import { servedType } from '../../files/mime.ts';
import { planRecord } from '../../query/listing.ts';
import type { PlanContext } from '../../query/plan.ts';
import { readPage } from '../../query/read.ts';

/** Selects a file: by id, by the path of a public file, or by a contract. */
export type WantedFile = { readonly id: number } | { readonly publicPath: string } | { readonly contract: number };

/** The content of a file, with its name. */
export interface Download extends Reply<200, StreamBody> {
  readonly headers: { readonly 'content-disposition': string; readonly 'content-security-policy': string };
}

/**
 * Returns the response with a file's content.
 * Always as a download, with a type that browsers do not execute.
 * @throws ApiError not_found (404)
 */
export const openFile = async (files: Files, db: TenantDb, wanted: WantedFile): Promise<Download> => {
  const file = await find(db, wanted);
  if (!file) throw new ApiError('not_found');
  const { path } = file;
  const size = Number(file.size);
  return {
    status: 200,
    headers: {
      'content-disposition': create(file.name),
      'content-security-policy': "sandbox; default-src 'none'",
    },
    body: {
      kind: 'stream',
      type: servedType(file.mime),
      size,
      // The content of a path never changes.
      version: path,
      open: range => files.open(db.tenant.id, { path, size }, range),
    },
  };
};

const find = (db: TenantDb, wanted: WantedFile) =>
  db.snapshot(({ kysely }) => {
    const query = kysely.selectFrom('files').select(['path', 'name', 'mime', 'size']);
    if ('id' in wanted) return query.where('id', '=', wanted.id).executeTakeFirst();
    if ('publicPath' in wanted)
      return query.where('path', '=', wanted.publicPath).where('visibility', '=', 'public').executeTakeFirst();
    const named = kysely.selectFrom('assignment_contract').select('file').where('id', '=', wanted.contract);
    return query.where('path', '=', named).executeTakeFirst();
  });

/** Checks that the API user may read the record of the file. @throws ApiError not_found (404) */
export const requireFile = async (id: number, call: PlanContext, db: TenantDb): Promise<void> => {
  shown(await readPage(planRecord([['fields', 'id']], resources.files, id, call), db));
};
