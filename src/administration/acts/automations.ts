import { sql } from 'kysely';
import type { components } from '../../../generated/administration.ts';
import { invalidField } from '../../core/errors.ts';
import type { Principal, Tenant } from '../../core/principal.ts';
import type { Database } from '../../db/open.ts';
import { handOver } from '../../domain/occurrences/act-for.ts';
import { listApiUsers } from '../../tenancy/api-users.ts';
import type { AdministrationCall, HandlersOf } from '../api/handler.ts';
import { type MembersOf, recordsOf } from './fields.ts';
import type { AdministrationParts } from './parts.ts';

type AutomationRecord = components['schemas']['Automation'];

/** Reads whom each of a tenant's automations acts for, and what is known of its deliveries. */
const readOutcomes = (database: Pick<Database, 'asOwner'>, tenant: Tenant) => {
  const count = (status: number) => sql<number>`count(*) filter (where d.status = ${status})`;
  const failures = sql<
    string | null
  >`(array_agg(d.error order by coalesce(d.attempted_at, d.created_at) desc, d.id desc)
    filter (where d.status = 3))[1]`;
  return database.asOwner(tenant.id, ({ kysely }) =>
    kysely
      .selectFrom('automations as a')
      .leftJoin('api_users as u', 'u.id', 'a.api_user_id')
      .leftJoin('automation_deliveries as d', 'd.automation_id', 'a.id')
      .select(['a.id', 'a.api_user_id', 'u.name as api_user'])
      .select([count(1).as('pending'), count(2).as('succeeded'), count(3).as('failed'), failures.as('last_error')])
      .select(sql<string | null>`max(d.attempted_at)`.as('last_attempt_at'))
      .groupBy(['a.id', 'a.api_user_id', 'u.name'])
      .execute(),
  );
};

/** Returns the API user that a written automation acts for. @throws ApiError validation_failed (422) */
const findActing = async (database: Database, tenant: Tenant, id: number): Promise<Principal['apiUser']> => {
  const user = (await listApiUsers(database, tenant)).find(known => known.id === id);
  if (!user) throw invalidField('reference_not_found', 'api_user_id');
  if (!user.active) throw invalidField('reference_inactive', 'api_user_id');
  const { name, readOnly, scopes, hidden } = user;
  return { id, name, readOnly, scopes, hidden };
};

/** Returns the handlers of operations on automations and their deliveries. */
export const automationHandlers = (parts: AdministrationParts, membersOf: MembersOf): HandlersOf<'automations'> => {
  const { database } = parts;
  const automations = recordsOf(parts, membersOf, 'Automation');
  const deliveries = recordsOf(parts, membersOf, 'Delivery');
  const withOutcomes = async (tenant: Tenant, found: readonly AutomationRecord[]): Promise<AutomationRecord[]> => {
    const outcomes = new Map((await readOutcomes(database, tenant)).map(outcome => [Number(outcome.id), outcome]));
    return found.flatMap(automation => {
      const outcome = outcomes.get(automation.id);
      // One without has been removed meanwhile.
      return outcome ? { ...automation, ...outcome } : [];
    });
  };
  /** Writes an automation as a request of its API user, so that its rules ask for this user's access. */
  const write = async (
    call: AdministrationCall<'automations_create' | 'automations_update'>,
    operation: string,
  ): Promise<AutomationRecord> => {
    const { tenant } = call;
    const { api_user_id, ...body } = call.body;
    const apiUser = await findActing(database, tenant, api_user_id);
    const written = await automations.one(call, operation, { body, apiUser });
    const [automation = written] = await withOutcomes(tenant, [written]);
    if (automation.api_user_id === api_user_id) return automation;
    // A write that changes no field is none: it leaves the API user as it is.
    await database.forTenant(tenant).transaction(transaction => handOver(automation, { tenant, apiUser }, transaction));
    return { ...automation, api_user_id, api_user: apiUser.name };
  };
  return {
    automations_list: async call => withOutcomes(call.tenant, await automations.many(call, 'automations_list')),
    automations_create: call => write(call, 'automations_create'),
    automations_update: call => write(call, 'automations_update'),
    automations_delete: call => automations.none(call, 'automations_delete'),
    automations_listDeliveries: call => {
      const limit = String(call.query.limit ?? 100);
      const parameters = Object.entries({ sort: '-id', limit });
      return deliveries.many(call, 'automationsDeliveries_list', { parameters });
    },
    automations_replay: call => deliveries.one(call, 'automations_replay'),
  };
};
