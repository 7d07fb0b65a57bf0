import { dateOf } from '../time/local-days.ts';
import type { Person } from './piece.ts';
import type { RuleScope, WorkRule } from './rule.ts';
import type { Stretch } from './work.ts';

/** The age at which people without a birthday are taken to be. */
const ADULT = 18;

/** Returns whether a rule applies to a stretch of a person's work. */
export const applies = ({ appliesTo, except }: WorkRule, person: Person, stretch: Stretch): boolean =>
  isIn(appliesTo, person, stretch) && !(except && isIn(except, person, stretch));

/** Returns whether it depends on the person's age that a rule applies to a stretch of work. */
export const dependsOnAge = ({ appliesTo, except }: WorkRule, person: Person, stretch: Stretch): boolean => {
  if (!isIn(ageless(appliesTo), person, stretch)) return false;
  const isExcepted = except !== null && isIn(ageless(except), person, stretch);
  if (isExcepted && !hasAge(except)) return false;
  return hasAge(appliesTo) || isExcepted;
};

const hasAge = ({ age_from, age_below }: RuleScope): boolean => age_from !== undefined || age_below !== undefined;

const ageless = ({ age_from, age_below, ...scope }: RuleScope): RuleScope => scope;

const isIn = (scope: RuleScope, person: Person, { piece: { placement }, day }: Stretch): boolean =>
  names(scope.employee_ids, person.id) &&
  names(scope.wage_profile_ids, placement.wageProfileId) &&
  (scope.qualification_ids?.some(id => person.qualifications.includes(id)) ?? true) &&
  names(scope.function_ids, placement.functionId) &&
  names(scope.client_ids, placement.clientId) &&
  names(scope.location_ids, placement.locationId) &&
  names(scope.country_ids, placement.countryId) &&
  isOfAge(scope, person, day);

const names = (ids: readonly number[] | undefined, id: number | null): boolean =>
  ids === undefined || (id !== null && ids.includes(id));

const isOfAge = ({ age_from: from, age_below: below }: RuleScope, { birthday }: Person, day: number): boolean => {
  if (from === undefined && below === undefined) return true;
  const age = birthday === null ? ADULT : ageOn(birthday, dateOf(day));
  return age >= (from ?? 0) && age < (below ?? Number.POSITIVE_INFINITY);
};

/** Returns the age in years on a date; those born on 29 February turn older on 1 March. */
const ageOn = (birthday: string, date: string): number =>
  Number(date.slice(0, 4)) - Number(birthday.slice(0, 4)) - Number(date.slice(5) < birthday.slice(5));

/** Returns whether a rule is valid on a local day. */
export const isValid = ({ validFrom, validTo }: WorkRule, day: number): boolean => {
  if (validFrom === null && validTo === null) return true;
  const date = dateOf(day);
  return (validFrom === null || date >= validFrom) && (validTo === null || date <= validTo);
};
