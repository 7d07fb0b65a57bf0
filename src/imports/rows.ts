import type { Call } from '../core/call/call.ts';
import { defaultLimits } from '../core/call/limits.ts';
import { ApiError, fieldError } from '../core/errors.ts';
import { type JsonObject, parseObject } from '../core/json/object.ts';
import type { Fields } from '../core/resource/fields.ts';
import { root } from '../core/root.ts';
import { bodyOf, columnsOf, type Header, parseRows } from './csv.ts';
import type { ContentRecord } from './records.ts';
import { type ImportRow, type ImportTarget, type RowError, verbOf } from './row.ts';
import { rowErrors } from './write-rows.ts';

/** In whose name rows are written, and the fields as they exist for this API user. */
type ImportWriter = Pick<Call, 'principal' | 'fields'>;

/** Returns the rows that the records of the content are. */
export const rowsOf = async (
  records: readonly ContentRecord[],
  target: ImportTarget,
  writer: ImportWriter,
): Promise<readonly ImportRow[]> => {
  const bodies = target.header
    ? readCsv(records, target.header, target, writer.fields)
    : await readNdjson(records, target);
  return records.map(({ line, end }, index) => {
    const body = bodies[index] as RowBody;
    return 'errors' in body
      ? { line, end, call: null, errors: body.errors }
      : { line, end, call: callOf(body.body, target, writer), errors: [] };
  });
};

type RowBody = { readonly body: JsonObject } | { readonly errors: readonly RowError[] };

const readNdjson = (records: readonly ContentRecord[], { cells }: ImportTarget): Promise<readonly RowBody[]> =>
  Promise.all(
    records.map(async ({ bytes }): Promise<RowBody> => {
      if (bytes === null) return tooLong;
      try {
        const { value } = await parseObject(bytes, cells.depth, 'row');
        return { body: value };
      } catch (error) {
        if (error instanceof ApiError) return { errors: rowErrors(error) };
        throw error;
      }
    }),
  );

const readCsv = (
  records: readonly ContentRecord[],
  header: Header,
  { resource, resources, cells: options }: ImportTarget,
  fields: Fields,
): readonly RowBody[] => {
  const columns = columnsOf(header, fields.get(resource), resources);
  const contents = records.map(({ bytes }) => bytes ?? Buffer.alloc(0));
  const rows = parseRows(contents, header.delimiter);
  return records.map(({ bytes, open }, index): RowBody => {
    const row = rows[index];
    if (open) return { errors: [fieldError('invalid_format', '', 'A quoted cell of the row is not closed.')] };
    if (bytes === null || !row) return tooLong;
    if ('error' in row) return { errors: [row.error] };
    const { length } = row.cells;
    if (length === columns.length) return { body: bodyOf(row.cells, columns, options) };
    const message = `The row has ${length} cells, but the header has ${columns.length} columns.`;
    return { errors: [fieldError('invalid_format', '', message)] };
  });
};

const tooLong: RowBody = {
  errors: [{ code: 'payload_too_large', field: '', message: 'The row is larger than 1 MiB.' }],
};

/** The call that writes a row; a null in place of an id is as good as none. */
const callOf = (row: JsonObject, target: ImportTarget, writer: ImportWriter): Call => {
  const { resource, resources, parameters, mode, checkBody, requestId } = target;
  const { [resource.key]: id, ...rest } = row;
  const given = id === null ? rest : row;
  return {
    ...writer,
    caller: { confirm: async () => writer.principal },
    resources,
    operation: 'import',
    alias: null,
    params: {},
    id: 0,
    externalId: null,
    parent: null,
    parameters,
    self: { path: `${root}/${resource.name}/import`, parameters },
    limits: defaultLimits,
    ...checkBody(resource.name, verbOf(mode, resource, given), given),
    content: null,
    headers: { ifMatch: null, idempotencyKey: null, declared: {} },
    requestId,
    leave: () => AbortSignal.any([]),
    matches: () => false,
  };
};
