import { sql } from 'kysely';
import type { Transaction } from '../../db/database.ts';
import { literal } from '../../db/ids.ts';
import type { Signing } from './signing.ts';

/** Returns the wage type ids of the profiles that apply to the assignments, by profile id. */
export const wageTypesOf = async (
  signings: ReadonlyMap<number, Signing>,
  { kysely }: Transaction,
): Promise<ReadonlyMap<number, ReadonlySet<number>>> => {
  const ids = [...new Set([...signings.values()].flatMap(({ wage_profile_id }) => wage_profile_id ?? []))];
  const rows = await kysely
    .selectFrom('wage_profiles')
    .select(['id', 'wage_types'])
    .where('id', '=', sql<number>`any(${literal(ids)}::bigint[])`)
    .execute();
  return new Map(rows.map(({ id, wage_types }) => [id, new Set(wage_types.map(type => type.id))]));
};
