import type { Json } from '../../core/call/reply.ts';
import type { Transaction } from '../../db/database.ts';
import { oneOf } from '../../db/ids.ts';
import { factorOf, type PayTerms, type WageType } from './derive.ts';

/** The wage profile that applies to an assignment. */
export interface Profile extends PayTerms {
  readonly id: number;
}

/** Returns the wage profiles that apply, by assignment id; assignments without one are omitted. */
export const profilesOf = async (
  assignmentIds: readonly number[],
  { kysely }: Transaction,
): Promise<ReadonlyMap<number, Profile>> => {
  const rows = await kysely
    .selectFrom('assignments_view as a')
    .innerJoin('wage_profiles as p', 'p.id', 'a.wage_profile_id')
    .select(['a.id as assignment_id', 'p.id', 'p.currency', 'p.wage_types'])
    .where('a.id', '=', oneOf(assignmentIds))
    .execute();
  return new Map(
    rows.map(({ assignment_id, id, currency, wage_types }) => [
      assignment_id,
      { id, currency, wageTypes: wage_types as WageType[] },
    ]),
  );
};

/** Returns the fields that a wage copies from its profile and wage type. */
export const labelsOf = ({ id, currency }: Profile, wageType: WageType) => ({
  wage_profile_id: id,
  currency,
  type: wageType.type ?? '1',
  'wage_type.id': wageType.id,
  'wage_type.factor': factorOf(wageType),
  'wage_type_value.value': wageType.value ?? null,
  'wage_type.name': wageType.name,
  'wage_type.external_id': wageType.external_id ?? null,
  'wage_type.currency_format': wageType.currency_format ?? currency,
  'wage_type_value.unit': wageType.unit ?? null,
});

/** Returns the currency of a wage profile; undefined for none. */
export const currencyOf = async (id: Json, { kysely }: Transaction): Promise<string | undefined> => {
  if (id === null) return undefined;
  const query = kysely.selectFrom('wage_profiles').select('currency').where('id', '=', Number(id));
  return (await query.executeTakeFirst())?.currency;
};
