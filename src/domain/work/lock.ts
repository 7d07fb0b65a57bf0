import { sql } from 'kysely';
import type { Json } from '../../core/call/reply.ts';
import type { FieldError } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { literal } from '../../db/ids.ts';
import type { Rules } from '../../engine/rules.ts';
import { frozen } from '../staffing/transition.ts';
import type { StampTable } from './stamps.ts';

/** An assignment as the rules of work and pay see it. */
export interface WorkedAssignment {
  readonly id: number;
  readonly employee_id: number;
  readonly status: number;
  readonly is_approved: boolean;
  readonly is_paid: boolean;
}

/** Locks the assignments' employees and then the assignments, each by id, until the transaction ends: the order of the staffing rules. */
export const lockWork = async (assignmentIds: readonly Json[], { kysely }: Transaction): Promise<void> => {
  const ids = [...new Set(assignmentIds)].filter(Number.isSafeInteger) as number[];
  if (ids.length === 0) return;
  const list = sql<number>`any(${literal(ids)}::bigint[])`;
  await kysely
    .selectFrom('employees as w')
    .select('w.id')
    .where('w.id', 'in', query => query.selectFrom('assignments as a').select('a.employee_id').where('a.id', '=', list))
    .orderBy('w.id')
    .forNoKeyUpdate()
    .execute();
  await kysely.selectFrom('assignments').select('id').where('id', '=', list).orderBy('id').forNoKeyUpdate().execute();
};

/** The `lock` of the rules of what belongs to an assignment: what it belongs to, before the record itself. */
export const lockAround =
  (table: StampTable | 'work_time_proposals' | 'wage_proposals' | 'assignment_wages'): NonNullable<Rules['lock']> =>
  async ({ id, body }, transaction) => {
    if (id === null) return void (await lockWork([body.assignment_id ?? null], transaction));
    const row = await transaction.kysely
      .selectFrom(table)
      .select('assignment_id')
      .where('id', '=', id)
      .executeTakeFirst();
    await lockWork([row?.assignment_id ?? null], transaction);
  };

/** The assignment of a record that is being written, which was locked before the record itself. */
export const lockedAssignment = async (id: Json, { kysely }: Transaction): Promise<WorkedAssignment> => {
  const { paid_on, ...assignment } = await kysely
    .selectFrom('assignments')
    .select(['id', 'employee_id', 'status', 'is_approved', 'paid_on'])
    .where('id', '=', Number(id))
    .executeTakeFirstOrThrow();
  return { ...assignment, is_paid: paid_on !== null };
};

/** What keeps work and pay of an assignment as they are: its approval, or its payment. */
export const freeze = (assignment: WorkedAssignment, field: string): readonly FieldError[] => frozen(assignment, field);
