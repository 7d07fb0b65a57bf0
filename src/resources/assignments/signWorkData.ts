import { sql } from 'kysely';
import { resources } from '../../../generated/resources.ts';
import { validationFailed } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { literal } from '../../db/ids.ts';
import { recordHistory } from '../../domain/staffing/record.ts';
import { proposalsOf, type SignedCall } from '../../domain/work/signed-work.ts';
import type { Action } from '../../engine/action.ts';
import type { Values } from '../../engine/body.ts';
import { readPageIn, represent } from '../../engine/records.ts';
import { schemaOf } from '../../engine/verb.ts';
import { plan } from '../../query/plan.ts';
import { parseQuery } from '../../query/query.ts';

/** POST /assignments/signed-work-data: work that someone has signed becomes proposals, all of it or none. */
export const signWorkData: Action<'assignments_signWorkData'> = (call, db) =>
  db.transaction(async transaction => {
    const { workTimes, wages, errors, statuses } = await proposalsOf(call, transaction);
    if (errors.length > 0) throw validationFailed(errors);
    await addWorkTimes(workTimes, transaction);
    await addWages(wages, transaction);
    const { approver, method, signed_at, items } = call.body;
    const ids = items.map(({ assignment_id }) => assignment_id);
    await recordHistory(
      ids.map(id => {
        const status = statuses.get(id) ?? 0;
        const data = { approver: { ...approver }, method, signed_at: workTimes[0]?.signed_at ?? signed_at };
        return { assignment_id: id, action: 'signature' as const, from_status: status, to_status: status, data };
      }),
      call.principal.apiUser.id,
      transaction,
    );
    return showAll(ids, call, transaction);
  });

const timeColumns = [
  'assignment_id',
  'start',
  'end',
  'break_start',
  'break_end',
  'remarks',
  'source',
  'status',
  'signed_by_type',
  'signed_by_id',
  'signed_at',
  'signature_file_id',
] as const;

/** One statement for all: the rows are one value of it. */
const addWorkTimes = async (rows: readonly Values[], { kysely }: Transaction): Promise<void> => {
  if (rows.length === 0) return;
  const alias = sql<'p'>`p(assignment_id bigint, start timestamptz, "end" timestamptz, break_start timestamptz, break_end timestamptz, remarks text, source integer, status integer, signed_by_type text, signed_by_id bigint, signed_at timestamptz, signature_file_id bigint)`;
  await kysely
    .insertInto('work_time_proposals')
    .columns(timeColumns)
    .expression(query =>
      query
        .selectFrom(sql<Values>`json_to_recordset(${JSON.stringify(rows)}::json)`.as<'p'>(alias))
        .select(timeColumns.map(name => sql.ref(`p.${name}`).as(name))),
    )
    .execute();
};

const wageColumns = ['assignment_id', 'wage_type_id', 'value', 'remarks', 'status'] as const;

const addWages = async (rows: readonly Values[], { kysely }: Transaction): Promise<void> => {
  if (rows.length === 0) return;
  const alias = sql<'p'>`p(assignment_id bigint, wage_type_id bigint, value numeric, remarks text, status integer)`;
  await kysely
    .insertInto('wage_proposals')
    .columns(wageColumns)
    .expression(query =>
      query
        .selectFrom(sql<Values>`json_to_recordset(${JSON.stringify(rows)}::json)`.as<'p'>(alias))
        .select(wageColumns.map(name => sql.ref(`p.${name}`).as(name))),
    )
    .execute();
};

/** The assignments in the order of their ids in the list. */
const showAll = async (ids: readonly number[], call: SignedCall, transaction: Transaction) => {
  const set = call.fields.of(resources.assignments);
  const [field] = set.fields.filter(({ name }) => name === set.resource.key);
  if (!field) throw new Error('Assignments have no key.');
  const conditions = [{ field, any: [{ kind: 'among', not: false, values: [literal(ids)] } as const] }];
  const listing = { ...plan(parseQuery([]), set, schemaOf(call)), conditions };
  const { records } = await readPageIn(listing, transaction);
  const place = set.fields.indexOf(field);
  const byId = new Map(records.map(cells => [Number(cells[place]), cells]));
  const ordered = ids.flatMap(id => [byId.get(id)].filter(cells => cells !== undefined));
  return {
    status: 200,
    headers: {},
    body: { kind: 'rows', representation: represent(listing, true, ordered) },
  } as const;
};
