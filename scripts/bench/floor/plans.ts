import { randomUUID } from 'node:crypto';
import type { BenchTenant } from '../data.ts';
import { filteredListing } from './listings.ts';
import type { FloorStatement } from './sent.ts';

/** What a floor does for a request. */
export interface FloorPlan {
  /** Sent before, in the same trip: what a write writes. */
  readonly writes: readonly FloorStatement[];
  /**
   * Selects the ids of the rows, which the statement of these has as its second value.
   * Sent in a trip before; null: none.
   */
  readonly keys: FloorStatement | null;
  /** The tenant in whose role all is sent, so that row security applies; null: the owner's. */
  readonly tenant: number | null;
  readonly rows: FloorStatement;
  /** Whether the rows are a list, and at most how many. */
  readonly many: boolean;
  readonly limit: number;
  /** Whether their open actions are read. */
  readonly gathered: boolean;
  readonly embeds: readonly FloorEmbed[];
  readonly status: 200 | 201;
}

/** Records that are put into the rows. */
export interface FloorEmbed {
  readonly name: string;
  readonly statement: string;
  /** The columns, by name and position, that lead to them and that they are found by. */
  readonly from: string;
  readonly to: readonly [name: string, index: number];
  readonly many: boolean;
}

const embeds: readonly FloorEmbed[] = [
  { name: 'employee', statement: 'employees-of', from: 'employee_id', to: ['id', 0], many: false },
  { name: 'client', statement: 'clients-of', from: 'client_id', to: ['id', 0], many: false },
  { name: 'work-times', statement: 'work-times-of', from: 'id', to: ['event_function_employee_id', 1], many: true },
];

/** Whole listings get their open actions for so many assignments at a time. */
export const gatheredAtOnce = 1000;

let newest = Date.now() * 1000;
/** Returns an id that no other record has. */
const newId = (): number => newest++;

const read = (statement: string, values: FloorStatement['values'], plan: Partial<FloorPlan> = {}): FloorPlan => ({
  writes: [],
  keys: null,
  tenant: null,
  rows: { statement, values },
  many: true,
  limit: 50,
  gathered: statement.startsWith('assignment'),
  embeds: [],
  status: 200,
  ...plan,
});

/** Returns the plan of a request; null: there is no such path. @param body of a write, parsed */
export const planOf = (
  method: string,
  target: string,
  tenant: BenchTenant,
  body: JsonRecord | null,
): FloorPlan | null => {
  const { pathname, searchParams: query } = new URL(target, 'http://floor');
  const [, resource, id, action] = pathname.replace('/api/v1', '').split('/');
  if (method === 'POST' && resource === 'clients') return createClient(tenant, body ?? {});
  if (method === 'PUT' && action === 'status') return changeStatus(tenant, Number(id), Number(body?.status));
  if (resource === 'assignments' && id !== undefined) return read('assignment', [tenant.id, id], { many: false });
  const filtered = query.has('fields') && filteredListing(resource ?? '', query, tenant.id);
  if (filtered) {
    const { keys, rows } = filtered;
    return read(rows.statement, rows.values, { keys, tenant: tenant.id, gathered: false });
  }
  if (resource === 'clients') return read('clients', [tenant.id, afterOf(query)]);
  if (resource !== 'assignments') return null;
  if (query.has('fields')) return read('assignments-fields', [tenant.id, afterOf(query)], { gathered: false });
  if (query.has('embed')) return read('assignments', [tenant.id, afterOf(query)], { embeds });
  if (query.has('limit')) return read('assignments', [tenant.id, afterOf(query)]);
  const [from = '0', to = String(Number.MAX_SAFE_INTEGER)] = query.getAll('id').map(text => text.slice(1));
  const whole = { statement: 'assignments-between', values: [tenant.id, from, to], unnamed: true } as const;
  return read(whole.statement, whole.values, { rows: whole, limit: Number.POSITIVE_INFINITY });
};

export type JsonRecord = Readonly<Record<string, unknown>>;

const afterOf = (query: URLSearchParams): string =>
  JSON.parse(Buffer.from(query.get('cursor') ?? '', 'base64url').toString())[1];

const createClient = ({ id: tenant, apiUser }: BenchTenant, { company, city }: JsonRecord): FloorPlan => {
  const id = newId();
  return read('client', [tenant, id], {
    many: false,
    status: 201,
    writes: [
      { statement: 'insert-client', values: [tenant, id, String(company), String(city)] },
      { statement: 'insert-client-fields', values: [tenant, id] },
      entry(tenant, apiUser, 'clients', id, 'created', '{id,status,company,city}'),
    ],
  });
};

const changeStatus = ({ id: tenant, apiUser }: BenchTenant, id: number, to: number): FloorPlan =>
  read('assignment', [tenant, id], {
    many: false,
    writes: [
      { statement: 'update-status', values: [tenant, id, to] },
      { statement: 'insert-history', values: [tenant, id, to === 7 ? 6 : 7, to, apiUser, newId()] },
      entry(tenant, apiUser, 'assignments', id, 'updated', '{status,updated_at}'),
    ],
  });

const entry = (
  tenant: number,
  user: number,
  resource: string,
  id: number,
  change: string,
  fields: string,
): FloorStatement => ({
  statement: 'insert-entry',
  values: [tenant, user, randomUUID(), resource, id, change, fields],
});
