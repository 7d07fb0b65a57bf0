import assert from 'node:assert/strict';
import { finishConflicts } from '../../../src/domain/conflicts/rebuild.ts';
import { findTenantBySlug } from '../../../src/tenancy/directory.ts';
import type { App, Client } from '../../support/app.ts';
import { Staffing } from '../staffing/scene.ts';

/** An evening shift, and one that begins ten hours after it. */
export const evening = ['2036-06-12T16:00:00Z', '2036-06-12T22:00:00Z'] as const;
export const morning = ['2036-06-13T08:00:00Z', '2036-06-13T12:00:00Z'] as const;

/** A conflict as in the listing. */
export type Shown = Readonly<Record<string, unknown>>;

/** Takes the conflicts of a client's tenant to the present, as the worker does. */
export const settle = async ({ database, tenant }: Client): Promise<void> => {
  const present = await findTenantBySlug(database, tenant.slug);
  await finishConflicts(database.forTenant(present ?? tenant));
};

/** Lists the conflicts, as they are. */
export const list = async ({ call }: Pick<Client, 'call'>, query = ''): Promise<readonly Shown[]> => {
  const response = await call('GET', `/conflicts?sort=id${query}`);
  assert.equal(response.status, 200, response.text);
  return response.body;
};

/** Finds the conflicts and lists them. */
export const conflictsOf = async (client: Client, query = ''): Promise<readonly Shown[]> => {
  await settle(client);
  return list(client, query);
};

/** Returns the id of a country. */
export const countryOf = async ({ call }: Pick<Client, 'call'>): Promise<number> => {
  const { body, text } = await call('POST', '/locations', { body: { name: 'There', country: 'DE' } });
  assert.equal(typeof body.country, 'number', text);
  return body.country;
};

/** Returns some fields of each. */
export const parts = (conflicts: readonly Shown[], ...names: readonly string[]) =>
  conflicts.map(conflict => names.map(name => conflict[name]));

/** Creates a tenant whose only rule warns of less than eleven hours of rest, unless `rule` says otherwise; null: none. */
export const tenantWith = async (app: App, rule: object | null, wanted: Parameters<App['newClient']>[0] = {}) => {
  const client = await app.newClient(wanted);
  for (const { id } of (await client.call('GET', '/work-rules')).body) await client.call('DELETE', `/work-rules/${id}`);
  const staffing = new Staffing(client);
  const body = { name: 'Rest', kind: 'rest', mode: 'warn', parameters: { minutes: 660 }, ...rule };
  return { client, staffing, rule: rule && (await staffing.create('work-rules', body)) };
};

/** Adds an employee who works in the evening and in the morning after. */
export const addTired = async (staffing: Staffing, changes: object = {}) => {
  const employee = await staffing.employee(changes);
  const one = await staffing.assignment(employee, await staffing.shift(...evening), 6);
  const place = await staffing.shift(...morning);
  const other = await staffing.assignment(employee, place, 6);
  return { employee, one, other, place };
};
