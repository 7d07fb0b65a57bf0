import { type FieldError, fieldError } from '../../core/errors.ts';
import { baseValueOf, type WageType } from '../../domain/pay/derive.ts';
import { isWithin, placesOf } from '../../domain/pay/money.ts';
import type { Rules } from '../../engine/rules.ts';

const MOST = 999_999;

/** What the schema of wage types can't tell: their ids are unique, their decimals fit, and only hours have windows. */
export const wageProfiles: Rules = {
  check: async ({ before, after }) => {
    if (!after || after.wage_types === before?.wage_types) return { errors: [] };
    // Left out, it is the empty list that the database has for it.
    const wageTypes = (after.wage_types ?? []) as unknown as readonly WageType[];
    const errors = wageTypes.flatMap((wageType, index) => {
      const isRepeated = wageTypes.findIndex(({ id }) => id === wageType.id) !== index;
      const found = [
        ...(isRepeated ? [unfit('not_unique', 'id', 'another wage type has it')] : []),
        ...typeErrors(wageType),
      ];
      return found.map(({ code, member, says }) => {
        const field = `wage_types.${index}.${member}`;
        return fieldError(code, field, `${field}: ${says}.`);
      });
    });
    return { errors };
  },
};

/** What is wrong with a member of a wage type. */
interface Unfit {
  readonly code: FieldError['code'];
  readonly member: keyof WageType;
  readonly says: string;
}

const unfit = (code: Unfit['code'], member: Unfit['member'], says: string): Unfit => ({ code, member, says });

const typeErrors = (wageType: WageType): readonly Unfit[] => {
  const { value, factor = 1, type = '1', windows = [], minimum_minutes: minimum } = wageType;
  const errors: Unfit[] = [];
  for (const [member, number] of [
    ['value', value ?? 0],
    ['factor', factor],
  ] as const)
    if (placesOf(number) > 4) errors.push(unfit('invalid_format', member, 'four decimal places are expected at most'));
  if (!isWithin(baseValueOf(wageType), -MOST, MOST))
    errors.push(unfit('out_of_range', 'value', `with its factor, a value of ${MOST} is expected at most`));
  if (type === '3' || type === '4') {
    if (windows.length > 0) errors.push(unfit('invalid_type', 'windows', 'only what pays for hours has windows'));
    if ((minimum ?? null) !== null)
      errors.push(unfit('invalid_type', 'minimum_minutes', 'only what pays for hours has a minimum'));
  }
  return errors;
};
