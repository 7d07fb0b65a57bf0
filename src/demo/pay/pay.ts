import { type DerivedWage, deriveWages, type WageType } from '../../domain/pay/derive.ts';
import { sumOf } from '../../domain/pay/money.ts';
import { labelsOf, type Profile } from '../../domain/pay/profile.ts';
import type { Holidays, Window } from '../../domain/time/windows.ts';
import type { EventFunction } from '../events.ts';
import { timesOf } from '../scene.ts';
import { functionProfile } from '../words.ts';

/** The wage types of hourly pay with the usual surcharges for nights, Sundays and public holidays. */
const hourly = (value: number): readonly WageType[] => [
  { id: 1, name: 'Stundenlohn', external_id: 'LA-100', type: '1', unit: 'hour', value },
  {
    id: 2,
    name: 'Nachtzuschlag 25 %',
    external_id: 'LA-210',
    ...surcharge(value, 0.25, { from: '23:00', to: '06:00' }),
  },
  { id: 3, name: 'Sonntagszuschlag 50 %', external_id: 'LA-220', ...surcharge(value, 0.5, { week_days: [7] }) },
  { id: 6, name: 'Feiertagszuschlag 100 %', external_id: 'LA-230', ...surcharge(value, 1, { holidays: 1 }) },
  { id: 4, name: 'Fahrgeld', external_id: 'LA-400', type: '3', unit: 'assignment', value: 6.5 },
  { id: 5, name: 'Zulage', external_id: 'LA-500', type: '4', unit: 'hour', value: 2 },
];

const surcharge = (value: number, factor: number, window: Window) =>
  ({ type: '2', unit: 'hour', value, factor, windows: [window] }) as const;

/** The wage types of freelancers: no surcharges, but at least four hours. */
const freelance: readonly WageType[] = [
  { id: 1, name: 'Stundensatz', external_id: 'HO-100', type: '1', unit: 'hour', value: 28, minimum_minutes: 240 },
  { id: 5, name: 'Auslagen', external_id: 'HO-500', type: '4', unit: 'EUR', value: 1 },
];

const profile = (id: number, name: string, wageTypes: readonly WageType[]) => ({
  id,
  name,
  external_id: `WP-${id}`,
  currency: 'EUR',
  is_default: false,
  wage_types: wageTypes,
});

/** Makes wage profiles in addition to the tenant's own, which has the local id 1 and no wages. */
export const makeWageProfiles = () => [
  profile(2, 'Minijob', hourly(13.9)),
  profile(3, 'Freelance', freelance),
  profile(4, 'Gastronomie', hourly(15.5)),
];

/** The pay of an assignment for its planned hours. */
export interface DemoPay {
  readonly profile: Profile;
  readonly wages: readonly DerivedWage[];
  /** The sum of the wages. */
  readonly total: number;
}

/** Returns the pay of an employee for an event function. */
export type PayOf = (target: EventFunction, employeeId: number) => DemoPay;

/** Number of past days with reports. */
export const recentDays = 45;

/** Creates the cached calculation of pay. */
export const createPay = (
  timeZone: string,
  employees: readonly { readonly id: number; readonly wage_profile_id: number }[],
  holidays: Holidays,
): PayOf => {
  const profiles = new Map(
    makeWageProfiles().map(({ id, currency, wage_types }) => [id, { id, currency, wageTypes: wage_types, holidays }]),
  );
  const employed = new Map(employees.map(({ id, wage_profile_id }) => [id, wage_profile_id]));
  const known = new Map<string, DemoPay>();
  return (target, employeeId) => {
    const profileId = target.wage_profile_id ?? functionProfile(target.function_id) ?? employed.get(employeeId) ?? 2;
    const key = `${target.id} ${profileId}`;
    const terms = profiles.get(profileId);
    if (!terms) throw new RangeError(`There is no wage profile ${profileId}`);
    const pay = known.get(key) ?? payFor(target, terms, timeZone);
    known.set(key, pay);
    return pay;
  };
};

const payFor = (target: EventFunction, terms: Profile, timeZone: string): DemoPay => {
  const wages = deriveWages([timesOf(target)], terms, timeZone);
  return { profile: terms, wages, total: Number(sumOf(wages.map(({ payable_amount }) => payable_amount))) };
};

/** The rows of an assignment's wages. */
export const wageRows = (assignmentId: number, { profile: terms, wages }: DemoPay) =>
  wages.flatMap(({ wage_type_id, base_value, factor, payable_amount }) => {
    const wageType = terms.wageTypes.find(({ id }) => id === wage_type_id);
    if (!wageType) return [];
    const [base, units] = [Number(base_value), Number(factor)];
    return [
      {
        assignment_id: assignmentId,
        ...labelsOf(terms, wageType),
        payable_amount: Number(payable_amount),
        base_value: base,
        factor: units,
        wage_type_id,
        derived_base_value: base,
        derived_factor: units,
      },
    ];
  });
