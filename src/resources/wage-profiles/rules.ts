import { type FieldError, fieldError } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { baseValueOf, type WageType } from '../../domain/pay/derive.ts';
import { isWithin } from '../../domain/pay/money.ts';
import { touchAssignments } from '../../domain/staffing/heirs.ts';
import type { Values } from '../../engine/body.ts';
import type { Rules } from '../../engine/rules.ts';

const MOST = 999_999;

/**
 * Checks beyond the schema.
 * One default, and wage types with unique ids, decimals in range, windows only for timed types, formats that equal
 * the currency. Formats follow a change of the currency.
 */
export const wageProfiles: Rules = {
  check: async ({ before, after }, transaction) => {
    if (!after) return { errors: [] };
    const errors = isDefault(after) && !isDefault(before) ? await defaultErrors(transaction) : [];
    return { errors: after.wage_types === before?.wage_types ? errors : [...errors, ...wageTypeErrors(before, after)] };
  },
  follow: async ({ before, after }, transaction) => {
    if (before && after && before.currency !== after.currency) await moveFormats(before, after, transaction);
    if (isDefault(before) !== isDefault(after))
      await touchAssignments('wage-profiles', before ?? {}, after ?? {}, transaction);
  },
};

const isDefault = (profile: Values | null): boolean => profile?.is_default === 1 && profile.deleted !== 1;

const defaultErrors = async ({ kysely }: Transaction): Promise<readonly FieldError[]> => {
  const other = await kysely
    .selectFrom('wage_profiles')
    .select('id')
    .where('is_default', '=', true)
    .where('deleted', '=', false)
    .executeTakeFirst();
  return other
    ? [fieldError('not_unique', 'is_default', `is_default: the wage profile ${other.id} is the default already.`)]
    : [];
};

/** The wage types of a profile. If omitted, they are an empty list by the database's default. */
const typesOf = (profile: Values | null): readonly WageType[] =>
  (profile?.wage_types ?? []) as unknown as readonly WageType[];

/** Stores the new currency in the formats of wage types that equalled the old one. */
const moveFormats = async (before: Values, after: Values, { kysely }: Transaction): Promise<void> => {
  const wageTypes = typesOf(after);
  if (!wageTypes.some(({ currency_format: format }) => format === before.currency)) return;
  const moved = wageTypes.map(wageType =>
    wageType.currency_format === before.currency ? { ...wageType, currency_format: after.currency } : wageType,
  );
  await kysely
    .updateTable('wage_profiles')
    .set({ wage_types: JSON.stringify(moved) })
    .where('id', '=', Number(after.id))
    .execute();
};

const wageTypeErrors = (before: Values | null, after: Values): readonly FieldError[] => {
  const wageTypes = typesOf(after);
  const formats = new Map(typesOf(before).map(({ id, currency_format }) => [id, currency_format]));
  return wageTypes.flatMap((wageType, index) => {
    const isRepeated = wageTypes.findIndex(({ id }) => id === wageType.id) !== index;
    const found = [
      ...(isRepeated ? [unfit('not_unique', 'id', 'another wage type has the same id')] : []),
      ...typeErrors(wageType),
      ...formatErrors(wageType, formats.get(wageType.id), after),
    ];
    return found.map(({ code, member, says }) => {
      const field = `wage_types.${index}.${member}`;
      return fieldError(code, field, `${field}: ${says}.`);
    });
  });
};

/** An error of a member of a wage type. */
interface Unfit {
  readonly code: FieldError['code'];
  readonly member: keyof WageType;
  readonly says: string;
}

const unfit = (code: Unfit['code'], member: Unfit['member'], says: string): Unfit => ({ code, member, says });

/** Returns the error of a new format that is not the currency of the profile. */
const formatErrors = (
  { currency_format: format = null }: WageType,
  stored: string | null | undefined,
  { currency }: Values,
): readonly Unfit[] =>
  format === null || format === currency || format === stored
    ? []
    : [unfit('reference_mismatch', 'currency_format', `must be the currency of the profile, ${currency}`)];

const typeErrors = (wageType: WageType): readonly Unfit[] => {
  const { type = '1', windows = [], minimum_minutes: minimum } = wageType;
  const errors: Unfit[] = [];
  if (!isWithin(baseValueOf(wageType), -MOST, MOST))
    errors.push(unfit('out_of_range', 'value', `value times factor must be at most ${MOST}`));
  if (type === '3' || type === '4') {
    if (windows.length > 0) errors.push(unfit('invalid_type', 'windows', 'only types 1 and 2 can have windows'));
    if ((minimum ?? null) !== null)
      errors.push(unfit('invalid_type', 'minimum_minutes', 'only types 1 and 2 can have a minimum'));
  }
  return errors;
};
