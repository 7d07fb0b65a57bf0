import { ApiError, type FieldError, fieldError, validationFailed } from '../core/errors.ts';
import type { Resource } from '../core/resource/resource.ts';
import { DatabaseError, type DatabaseErrorKind } from '../db/errors.ts';

/**
 * Runs a write and turns a violated constraint of the database into the client's error.
 * The checks before see most of it; this is for what another request changed in between, and for what only the database
 * can tell.
 */
export const translateConstraints = async <T>({ key }: Pick<Resource, 'key'>, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw (error instanceof DatabaseError && translate(error, key)) || error;
  }
};

const codes: Partial<Record<DatabaseErrorKind, [code: FieldError['code'], says: string]>> = {
  unique: ['not_unique', 'another record has this value'],
  reference_missing: ['reference_not_found', 'there is no such record'],
  check: ['out_of_range', 'the value is not allowed'],
  exclusion: ['not_unique', 'another record excludes this one'],
  not_null: ['not_empty', 'a value is required'],
  value: ['out_of_range', 'a value is too large or too long'],
};

/** Where the columns are not known, it is the key. */
const translate = ({ kind, columns }: DatabaseError, key: string): ApiError | null => {
  if (kind === 'still_referenced') return new ApiError('still_referenced');
  const known = codes[kind];
  if (!known) return null;
  const [code, says] = known;
  const fields = columns.length > 0 ? columns : [key];
  return validationFailed(fields.map(field => fieldError(code, field, `${field}: ${says}.`)));
};
