import type { Logger } from 'pino';
import type { Call } from '../core/call/call.ts';
import type { Parameter } from '../core/call/parameter.ts';
import { invalidField } from '../core/errors.ts';
import type { Json } from '../core/json/value.ts';
import type { Resource } from '../core/resource/resource.ts';
import type { VerbName } from '../core/resource/verb-names.ts';
import type { Transaction } from '../db/database.ts';
import type { CheckBody } from '../engine/bodies.ts';
import { addRecord } from '../engine/create.ts';
import { identify } from '../engine/references/external-id.ts';
import type { Rules } from '../engine/rules.ts';
import { changeRecord } from '../engine/update.ts';
import type { Written } from '../engine/write.ts';
import type { CellOptions, Header } from './csv.ts';
import type { FilePosition } from './records.ts';

/** What an import does with a row, as in its parameter `mode`. */
export type Mode = 'upsert' | 'create' | 'update';

/** A row of a batch: the call that writes it, or why it cannot be written. */
export interface ImportRow {
  readonly line: number;
  /** The place after it. */
  readonly end: FilePosition;
  readonly call: Call | null;
  readonly errors: readonly RowError[];
}

/** An error of a row: of a field, or of the whole row with an empty field. */
export interface RowError {
  readonly code: string;
  readonly field: string;
  readonly message: string;
}

/** What has happened to a row. */
export interface RowResult {
  readonly line: number;
  readonly id: number | null;
  readonly external_id: string | null;
  readonly result: 'created' | 'updated' | 'unchanged' | 'failed';
  readonly errors: readonly RowError[];
  /** As in the response of a request. */
  readonly warnings: readonly Json[];
}

/** How the rows of an import are read, and what they are written to. */
export interface ImportTarget {
  readonly importId: number;
  /** In whose name they are written. */
  readonly apiUserId: number;
  /** The id of the request that brought the import. */
  readonly requestId: string;
  /** The parameters of each write. */
  readonly parameters: readonly Parameter[];
  /** Null: the rows are NDJSON. */
  readonly header: Header | null;
  readonly cells: CellOptions;
  readonly checkBody: CheckBody;
  readonly resources: Readonly<Record<string, Resource>>;
  readonly resource: Resource;
  /** Undefined: the resource has none. */
  readonly rules: Rules | undefined;
  readonly mode: Mode;
  readonly dryRun: boolean;
  /** After these a batch ends with the rows in progress. */
  readonly milliseconds: number;
  readonly log: Logger;
}

/** Returns the write whose schema a row must match. */
export const verbOf = (mode: Mode, { key }: Resource, row: Call['body']): VerbName => {
  if (mode === 'create') return 'create';
  return Object.hasOwn(row, key) ? 'update' : 'upsert';
};

/**
 * Writes a row: changes the record with its id, else that with its external id, or creates one.
 * See docs/decisions.md, "External ids and imports".
 * @param call has the row as body
 * @param isTaken whether another row of the transaction has written a record
 * @returns null if one has written the row's
 * @throws ApiError as POST and PUT
 */
export const writeRow = async (
  call: Call,
  mode: Mode,
  resource: Resource,
  transaction: Transaction,
  rules: Rules,
  isTaken: (id: number) => boolean,
): Promise<Written | null> => {
  const { key, externalKey = '' } = resource;
  const identified = await identify(call, resource, transaction);
  const given = Object.hasOwn(call.body, key);
  const id = mode === 'create' ? null : given ? idOf(call.body[key], key) : identified.holder;
  if (id !== null && isTaken(id)) return null;
  if (id !== null) {
    const written = await changeRecord({ ...call, id }, identified, resource, transaction, rules);
    if (written) return written;
    throw missing(given ? key : externalKey, resource);
  }
  if (mode !== 'update') return addRecord(call, identified, resource, transaction, rules);
  if (Object.hasOwn(call.body, externalKey)) throw missing(externalKey, resource);
  throw invalidField('not_empty', externalKey, `The row names no record: ${key} or ${externalKey} is required.`);
};

const idOf = (value: unknown, key: string): number => {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw invalidField('invalid_type', key, `${key}: an integer is expected.`);
};

const missing = (field: string, { singular }: Resource) =>
  invalidField('reference_not_found', field, `${field}: there is no ${singular} with this value.`);
