import { sql } from 'kysely';
import type { Transaction } from '../../db/database.ts';
import { oneOf } from '../../db/ids.ts';
import { type Profile, profilesOf } from './profile.ts';

/**
 * Returns the wage profiles of assignments, with the public holidays of their work, by assignment id.
 * Assignments without a wage profile are omitted; public holidays are read only if a window needs them.
 */
export const termsOf = async (
  assignmentIds: readonly number[],
  transaction: Transaction,
): Promise<ReadonlyMap<number, Profile>> => {
  const profiles = await profilesOf(assignmentIds, transaction);
  const concerned = [...profiles].filter(([, profile]) => needsHolidays(profile)).map(([id]) => id);
  if (concerned.length === 0) return profiles;
  const daysOf = Map.groupBy(await holidaysOf(concerned, transaction), ({ assignment_id }) => assignment_id);
  return new Map(
    [...profiles].map(([id, profile]) => {
      const holidays = new Set(daysOf.get(id)?.map(({ day }) => day));
      return [id, { ...profile, holidays }];
    }),
  );
};

const needsHolidays = ({ wageTypes }: Profile): boolean =>
  wageTypes.some(({ windows = [] }) => windows.some(({ holidays }) => holidays === 1));

/**
 * Returns the public holidays of assignments, as days since 1970-01-01.
 * They are those of everywhere and of the location's country, from the day before the work: its windows may end on the next.
 * Local days are at most one before or after those in UTC: windows know which ones they start on.
 */
const holidaysOf = (assignmentIds: readonly number[], { kysely }: Transaction) => {
  const dateInUtc = (column: string) => sql<string>`(${sql.ref(column)} at time zone 'UTC')::date`;
  return kysely
    .selectFrom('work_times as t')
    .innerJoin('assignments_view as a', 'a.id', 't.event_function_employee_id')
    .leftJoin('locations as l', 'l.id', 'a.location_id')
    .innerJoin('public_holidays as h', join =>
      join
        .on('h.date', '>=', sql`${dateInUtc('t.start')} - 2`)
        .on('h.date', '<=', sql`${dateInUtc('t.end')} + 1`)
        .on(({ eb, or }) => or([eb('h.country_id', 'is', null), eb('h.country_id', '=', eb.ref('l.country'))])),
    )
    .select(['t.event_function_employee_id as assignment_id', sql<number>`h.date - '1970-01-01'::date`.as('day')])
    .distinct()
    .where('t.event_function_employee_id', '=', oneOf(assignmentIds))
    .execute();
};
