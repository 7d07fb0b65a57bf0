import type { components } from '../../../generated/administration.ts';
import { fieldError, validationFailed } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json/object.ts';
import type { Principal, Tenant } from '../../core/principal.ts';
import type { Database } from '../../db/open.ts';
import { handOver } from '../../domain/occurrences/act-for.ts';
import type { Task } from '../../http/perform.ts';
import { listApiUsers } from '../../tenancy/api-users.ts';
import type { AdministrationHandlers } from '../api/handler.ts';
import { type MembersOf, recordsOf } from './fields.ts';
import type { AdministrationParts } from './parts.ts';

type AutomationHandlers = Pick<
  AdministrationHandlers,
  | 'automations_list'
  | 'automations_create'
  | 'automations_update'
  | 'automations_delete'
  | 'automations_listDeliveries'
  | 'automations_replay'
>;

type AutomationRecord = components['schemas']['Automation'];
type WrittenAutomation = components['schemas']['WrittenAutomation'];

/** Whom an automation acts for. */
interface ActsFor {
  readonly api_user_id: number | null;
  readonly api_user: string | null;
}

/** What is known of the deliveries of an automation. */
interface Outcomes {
  readonly pending: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly last_error: string | null;
  readonly last_attempt_at: string | null;
}

const none: Outcomes = { pending: 0, succeeded: 0, failed: 0, last_error: null, last_attempt_at: null };

/** Reads the API users that a tenant's automations act for, and counts their deliveries by outcome. */
const readActing = async (
  database: Pick<Database, 'forTenant'>,
  tenant: Tenant,
): Promise<readonly [users: ReadonlyMap<number, ActsFor>, outcomes: ReadonlyMap<number, Outcomes>]> => {
  const [users, result] = await database.forTenant(tenant).read(
    {
      name: 'automation_users',
      text: `select a.id, a.api_user_id, u.name from automations a
        left join api_users u on u.tenant_id = $1 and u.id = a.api_user_id where a.tenant_id = $1`,
      values: [String(tenant.id)],
    },
    {
      name: 'automation_outcomes',
      text: `select automation_id, count(*) filter (where status = 1), count(*) filter (where status = 2),
        count(*) filter (where status = 3),
        (array_agg(error order by coalesce(attempted_at, created_at) desc, id desc) filter (where status = 3))[1],
        to_char(max(attempted_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
      from automation_deliveries where tenant_id = $1 group by automation_id`,
      values: [String(tenant.id)],
    },
  );
  const outcomes = new Map(
    (result?.rows ?? []).map(([id, pending, succeeded, failed, error, at]) => [
      Number(id),
      {
        pending: Number(pending),
        succeeded: Number(succeeded),
        failed: Number(failed),
        last_error: error ?? null,
        last_attempt_at: at ?? null,
      },
    ]),
  );
  const actsFor = (users?.rows ?? []).map(([id, userId, name]): [number, ActsFor] => [
    Number(id),
    { api_user_id: userId == null ? null : Number(userId), api_user: name ?? null },
  ]);
  return [new Map(actsFor), outcomes];
};

/** Returns the API user that a written automation acts for. @throws ApiError validation_failed (422) */
const findActing = async (database: Database, tenant: Tenant, id: number): Promise<Principal['apiUser']> => {
  const user = (await listApiUsers(database, tenant)).find(known => known.id === id);
  if (!user) throw validationFailed([fieldError('reference_not_found', 'api_user_id')]);
  if (!user.active) throw validationFailed([fieldError('reference_inactive', 'api_user_id')]);
  const { name, readOnly, scopes, hidden } = user;
  return { id, name, readOnly, scopes, hidden };
};

/** Returns the handlers of operations on automations and their deliveries. */
export const automationHandlers = (parts: AdministrationParts, membersOf: MembersOf): AutomationHandlers => {
  const automations = recordsOf(parts, membersOf, 'Automation');
  const deliveries = recordsOf(parts, membersOf, 'Delivery');
  const withOutcomes = async (tenant: Tenant, found: readonly AutomationRecord[]): Promise<AutomationRecord[]> => {
    const [users, outcomes] = await readActing(parts.database, tenant);
    return found.map(automation => ({
      ...automation,
      ...users.get(automation.id),
      ...(outcomes.get(automation.id) ?? none),
    }));
  };
  /** Writes an automation as a request of its API user, so that its rules ask for this user's access. */
  const write = async (
    task: Pick<Task, 'tenant' | 'requestId' | 'operation' | 'params'>,
    { api_user_id, ...body }: WrittenAutomation,
  ): Promise<AutomationRecord> => {
    const apiUser = await findActing(parts.database, task.tenant, api_user_id);
    const written = await automations.one({ ...task, body: body satisfies JsonObject, apiUser });
    const [automation = written] = await withOutcomes(task.tenant, [written]);
    if (automation.api_user_id === api_user_id) return automation;
    // A write that changes no field is none: it leaves the API user as it is.
    await parts.database
      .forTenant(task.tenant)
      .transaction(transaction => handOver(automation, { tenant: task.tenant, apiUser }, transaction));
    return { ...automation, api_user_id, api_user: apiUser.name };
  };
  return {
    automations_list: async ({ tenant, requestId }) =>
      withOutcomes(tenant, await automations.many({ tenant, requestId, operation: 'automations_list' })),
    automations_create: ({ tenant, requestId, body }) =>
      write({ tenant, requestId, operation: 'automations_create' }, body),
    automations_update: ({ tenant, requestId, params, body }) =>
      write({ tenant, requestId, operation: 'automations_update', params: { id: params.id } }, body),
    automations_delete: async ({ tenant, requestId, params }) => {
      await parts.perform({ tenant, requestId, operation: 'automations_delete', params: { id: params.id } });
      return undefined;
    },
    automations_listDeliveries: ({ tenant, requestId, params, query: { limit = 100 } }) =>
      deliveries.many({
        tenant,
        requestId,
        operation: 'automationsDeliveries_list',
        params: { id: params.id },
        parameters: [
          ['sort', '-id'],
          ['limit', String(limit)],
        ],
      }),
    automations_replay: ({ tenant, requestId, params }) =>
      deliveries.one({
        tenant,
        requestId,
        operation: 'automations_replay',
        params: { id: params.id, delivery_id: params.delivery_id },
      }),
  };
};
