import { resources } from '../../generated/resources.ts';
import type { Call } from '../core/call/call.ts';
import { dryRun, isOn } from '../core/call/switch.ts';
import { ApiError, validationFailed } from '../core/errors.ts';
import { root } from '../core/root.ts';
import { newId } from '../db/ids.ts';
import { showRecord, type Verb } from '../engine/verb.ts';
import type { Files } from '../files/files.ts';
import { readType } from '../files/mime.ts';
import { formats, readBeginning } from './content.ts';
import { findHeaderErrors } from './csv.ts';
import type { Mode } from './row.ts';
import { enqueue } from './state.ts';

/**
 * POST /{resource}/import: stores the rows of the body as an import (202, Location).
 * It is processed in the background.
 */
export const acceptImports =
  (files: Files): Verb =>
  resource =>
  async (call, db) => {
    const { content, principal, parameters } = call;
    if (!content) throw new Error('The operation takes a raw body.');
    const mode = modeOf(parameters);
    const format = formats[readType(content.type) as keyof typeof formats];
    const { path, size } = content;
    const { header, place } = await readBeginning(files, { tenantId: db.tenant.id, path, size }, format);
    if (header) {
      const errors = findHeaderErrors(header, call.fields.get(resource), call.resources);
      if (errors.length > 0) throw validationFailed(errors);
    }
    const reply = await db.transaction(async transaction => {
      const id = await newId(transaction, 'imports');
      await transaction.kysely
        .insertInto('imports')
        .values({
          id,
          resource: resource.name,
          mode,
          dry_run: isOn(parameters, dryRun),
          format,
          content: path,
          size,
          ...place,
          parameters: new URLSearchParams(writeParameters(call)).toString(),
          api_user_id: principal.apiUser.id,
          request_id: call.requestId,
        })
        .execute();
      enqueue(id, transaction);
      const shown = await showRecord(resources.imports, id, call, transaction);
      return { ...shown, status: 202, headers: { location: `${root}/imports/${id}` } };
    });
    content.keep();
    return reply;
  };

const modes: ReadonlySet<string> = new Set<Mode>(['upsert', 'create', 'update']);

/** @throws ApiError invalid_parameter (400) */
const modeOf = (parameters: Call['parameters']): Mode => {
  const given = parameters.filter(([name]) => name === 'mode');
  const [[, mode] = ['', 'upsert']] = given;
  if (given.length <= 1 && modes.has(mode)) return mode as Mode;
  throw new ApiError('invalid_parameter', { message: `mode must be one of ${[...modes].join(', ')}, given once.` });
};

/** The parameters of the write of each row: those of the request that are not about the import. */
const writeParameters = ({ parameters }: Call): [string, string][] =>
  parameters.filter(([name]) => name !== 'mode' && name !== dryRun).map(([name, value]) => [name, value]);
