import type { Call } from '../core/call/call.ts';
import { defaultLimits } from '../core/call/limits.ts';
import type { Parameter } from '../core/call/parameter.ts';
import { ApiError, fieldError } from '../core/errors.ts';
import { type JsonObject, parseObject } from '../core/json/object.ts';
import type { Fields } from '../core/resource/fields.ts';
import type { Resource } from '../core/resource/resource.ts';
import { root } from '../core/root.ts';
import type { CheckBody } from '../engine/bodies.ts';
import { bodyOf, type CellOptions, columnsOf, type Header, parseRows } from './csv.ts';
import type { ContentRecord } from './records.ts';
import { type ImportRow, type Mode, type RowError, verbOf } from './row.ts';
import { rowErrors } from './write-rows.ts';

/** What the rows of an import are, and how they are read. */
export interface Reading {
  readonly resource: Resource;
  readonly resources: Readonly<Record<string, Resource>>;
  readonly mode: Mode;
  /** The parameters of each write. */
  readonly parameters: readonly Parameter[];
  /** Null: the rows are NDJSON. */
  readonly header: Header | null;
  readonly cells: CellOptions;
  readonly checkBody: CheckBody;
  /** The id of the request that brought the import. */
  readonly requestId: string;
}

/** In whose name rows are written, and the fields as they exist for this API user. */
type ImportWriter = Pick<Call, 'principal' | 'fields'>;

/** Returns the rows that the records of the content are. */
export const rowsOf = async (
  records: readonly ContentRecord[],
  reading: Reading,
  writer: ImportWriter,
): Promise<readonly ImportRow[]> => {
  const bodies = reading.header
    ? readCsv(records, reading.header, reading, writer.fields)
    : await readNdjson(records, reading);
  return records.map(({ line, end }, index) => {
    const body = bodies[index] as RowBody;
    return 'errors' in body
      ? { line, end, call: null, errors: body.errors }
      : { line, end, call: callOf(body.body, reading, writer), errors: [] };
  });
};

type RowBody = { readonly body: JsonObject } | { readonly errors: readonly RowError[] };

const readNdjson = (records: readonly ContentRecord[], { cells }: Reading): Promise<readonly RowBody[]> =>
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
  { resource, resources, cells: options }: Reading,
  fields: Fields,
): readonly RowBody[] => {
  const columns = columnsOf(header, fields.get(resource), resources);
  const rows = parseRows(
    records.map(({ bytes }) => bytes ?? Buffer.alloc(0)),
    header.delimiter,
  );
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
const callOf = (row: JsonObject, reading: Reading, writer: ImportWriter): Call => {
  const { resource, resources, parameters, mode, checkBody, requestId } = reading;
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
