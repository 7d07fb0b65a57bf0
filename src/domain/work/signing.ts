import type { components } from '../../../generated/api.ts';
import { resources } from '../../../generated/resources.ts';
import { assignmentBooked } from '../../../generated/status-sets.ts';
import { type Access, isAllowed } from '../../core/resource/access.ts';
import { flagOf } from '../../core/resource/codec.ts';
import type { Transaction } from '../../db/database.ts';
import { oneOf } from '../../db/ids.ts';
import { parsedConfigurations } from '../staffing/configurations.ts';

/** A person who can sign work. */
export interface Approver {
  readonly type: 'contact' | 'planner' | 'team_leader';
  /** The contact's, the planner's or, for a team leader, the employee's id. */
  readonly id: number;
  readonly first_name: string | null;
  readonly last_name: string;
  readonly email: string | null;
}

type SignatureMethod = components['schemas']['SignatureMethod'];

/** The settings for signing an assignment's work. */
export interface Signing {
  readonly assignment_id: number;
  readonly employee_id: number;
  readonly enabled: 0 | 1;
  readonly methods: readonly SignatureMethod[];
  /** The default approver is first. */
  readonly approvers: readonly Approver[];
}

const ACTIVE = 1;

/** Returns the signing settings of existing assignments by id, with four statements for any number. */
export const signingsOf = async (
  ids: readonly number[],
  transaction: Transaction,
): Promise<ReadonlyMap<number, Signing>> => {
  const { kysely } = transaction;
  const rows = await kysely
    .selectFrom('assignments_view')
    .select(['id', 'employee_id', 'event_id', 'contact_id', 'planner_id', parsedConfigurations])
    .where('id', '=', oneOf(ids))
    .execute();
  const people = await peopleOf(rows, transaction);
  const leaders = await leadersOf([...new Set(rows.map(({ event_id }) => event_id))], transaction);
  return new Map(
    rows.map(({ id, employee_id, event_id, contact_id, planner_id, configurations }) => {
      const { enabled = 0, methods = [] } = configurations.signed_work_data ?? {};
      const team = (leaders.get(event_id) ?? []).map(({ event_id: _, ...leader }) => leader);
      const approvers = [people.get(`contact ${contact_id}`), people.get(`planner ${planner_id}`), ...team]
        .filter(person => person !== undefined)
        .filter(person => person.type !== 'team_leader' || person.id !== employee_id);
      return [id, { assignment_id: id, employee_id, enabled, methods, approvers }];
    }),
  );
};

/** Returns the approvers for responses, with addresses of readable people only. */
export const shownApprovers = ({ approvers, methods }: Signing, access: Access) =>
  approvers.map(({ email, ...approver }, index) => ({
    ...approver,
    ...(isAllowed(access, signers[approver.type] ?? '', 'read') && { email }),
    methods,
    is_default: flagOf(index === 0),
  }));

/** The resources of those who can sign, by their kind. */
const signers: Readonly<Record<string, string>> = resources['work-time-proposals'].fields.flatMap(field =>
  'referencesOneOf' in field ? [field.referencesOneOf.resources] : [],
)[0] as Readonly<Record<string, string>>;

type SignerIds = { readonly contact_id: number | null; readonly planner_id: number | null };

/** Returns the active contacts and planners, by kind and id. */
const peopleOf = async (
  rows: readonly SignerIds[],
  { kysely }: Transaction,
): Promise<ReadonlyMap<string, Approver>> => {
  const contacts = await kysely
    .selectFrom('contacts')
    .select(['id', 'firstname as first_name', 'lastname as last_name', 'email'])
    .where('id', '=', oneOf([...new Set(rows.flatMap(({ contact_id }) => contact_id ?? []))]))
    .where('status', '=', ACTIVE)
    .execute();
  const planners = await kysely
    .selectFrom('planners')
    .select(['id', 'first_name', 'last_name', 'email'])
    .where('id', '=', oneOf([...new Set(rows.flatMap(({ planner_id }) => planner_id ?? []))]))
    .where('status', '=', ACTIVE)
    .execute();
  return new Map<string, Approver>([
    ...contacts.map(person => [`contact ${person.id}`, { type: 'contact' as const, ...person }] as const),
    ...planners.map(person => [`planner ${person.id}`, { type: 'planner' as const, ...person }] as const),
  ]);
};

/** Returns the employees who are booked as team leaders, by event. */
const leadersOf = async (eventIds: readonly number[], { kysely }: Transaction) => {
  const rows = await kysely
    .selectFrom('assignments as a')
    .innerJoin('event_functions as f', 'f.id', 'a.event_function_id')
    .innerJoin('functions as t', 't.id', 'f.function_id')
    .innerJoin('employees as w', 'w.id', 'a.employee_id')
    .select(['f.event_id', 'w.id', 'w.firstname as first_name', 'w.lastname as last_name', 'w.email'])
    .distinct()
    .where('f.event_id', '=', oneOf(eventIds))
    .where('t.project_leader', '=', true)
    .where('a.status', 'in', assignmentBooked)
    .orderBy('f.event_id')
    .orderBy('w.id')
    .execute();
  const leaders = rows.map(({ event_id, ...person }) => ({ event_id, type: 'team_leader' as const, ...person }));
  return Map.groupBy(leaders, ({ event_id }) => event_id);
};
