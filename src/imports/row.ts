import type { Call } from '../core/call/call.ts';
import { fieldError, validationFailed } from '../core/errors.ts';
import type { Resource } from '../core/resource/resource.ts';
import type { VerbName } from '../core/resource/verb-names.ts';
import type { Transaction } from '../db/database.ts';
import { addRecord } from '../engine/create.ts';
import { identify } from '../engine/references/external-id.ts';
import type { Rules } from '../engine/rules.ts';
import { changeRecord } from '../engine/update.ts';
import type { Written } from '../engine/write.ts';

/** What an import does with a row, as in its parameter `mode`. */
export type Mode = 'upsert' | 'create' | 'update';

/** Returns the write whose schema a row must match. */
export const verbOf = (mode: Mode, { key }: Resource, row: Call['body']): VerbName => {
  if (mode === 'create') return 'create';
  return Object.hasOwn(row, key) ? 'update' : 'upsert';
};

/**
 * Writes a row: changes the record with its id, else that with its external id, or creates one.
 * See docs/decisions.md, "External ids and imports".
 * @param call has the row as body
 * @param changed the records that other rows of the transaction have written
 * @returns null if the row's record is one of these
 * @throws ApiError as POST and PUT
 */
export const writeRow = async (
  call: Call,
  mode: Mode,
  resource: Resource,
  transaction: Transaction,
  rules: Rules,
  changed: ReadonlySet<number>,
): Promise<Written | null> => {
  const { key, externalKey = '' } = resource;
  const identified = await identify(call, resource, transaction);
  const given = Object.hasOwn(call.body, key);
  const id = mode === 'create' ? null : given ? idOf(call.body[key], key) : identified.holder;
  if (id !== null && changed.has(id)) return null;
  if (id !== null) {
    const written = await changeRecord({ ...call, id }, identified, resource, transaction, rules);
    if (written) return written;
    throw missing(given ? key : externalKey, resource);
  }
  if (mode !== 'update') return addRecord(call, identified, resource, transaction, rules);
  if (Object.hasOwn(call.body, externalKey)) throw missing(externalKey, resource);
  throw validationFailed([
    fieldError('not_empty', externalKey, `The row names no record: ${key} or ${externalKey} is required.`),
  ]);
};

const idOf = (value: unknown, key: string): number => {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw validationFailed([fieldError('invalid_type', key, `${key}: an integer is expected.`)]);
};

const missing = (field: string, { singular }: Resource) =>
  validationFailed([fieldError('reference_not_found', field, `${field}: there is no ${singular} with this value.`)]);
