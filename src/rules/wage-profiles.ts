import { type FieldError, fieldError } from '../errors.ts';
import { baseValueOf, type WageType } from '../payroll/derive.ts';
import { isWithin, placesOf } from '../payroll/money.ts';
import type { Rules } from '../resource/rules.ts';

const MOST = 999_999;

/** What the schema of wage types can't tell: their ids are unique, their decimals fit, and only hours have windows. */
export const wageProfiles: Rules = {
  check: async ({ before, after }): Promise<readonly FieldError[]> => {
    if (!after || after.wage_types === before?.wage_types) return [];
    // Left out, it is the empty list that the database has for it.
    const wageTypes = (after.wage_types ?? []) as unknown as readonly WageType[];
    const repeated = wageTypes.filter(({ id }, index) => wageTypes.findIndex(other => other.id === id) !== index);
    return [
      ...repeated.map(({ id }) => error('not_unique', `the id ${id} is there more than once`)),
      ...wageTypes.flatMap(typeErrors),
    ];
  },
  follow: async () => {},
};

const error = (code: FieldError['code'], says: string): FieldError =>
  fieldError(code, 'wage_types', `wage_types: ${says}.`);

const typeErrors = (wageType: WageType): readonly FieldError[] => {
  const { id, value, factor = 1, type = '1', windows = [], minimum_minutes: minimum } = wageType;
  const errors: FieldError[] = [];
  if ([value ?? 0, factor].some(number => placesOf(number) > 4))
    errors.push(error('invalid_format', `value and factor of ${id} have four decimal places at most`));
  if (!isWithin(baseValueOf(wageType), -MOST, MOST))
    errors.push(error('out_of_range', `the value of ${id} times its factor is out of range`));
  if ((type === '3' || type === '4') && (windows.length > 0 || (minimum ?? null) !== null))
    errors.push(error('invalid_type', `${id} does not pay for hours, and has neither windows nor a minimum`));
  return errors;
};
