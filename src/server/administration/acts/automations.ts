import type { Tenant } from '../../../core/principal.ts';
import type { Database } from '../../../db/open.ts';
import type { AdministrationHandlers } from '../api/handler.ts';
import { type MembersOf, recordsOf } from './fields.ts';
import type { AdministrationParts } from './parts.ts';

type Handlers = Pick<AdministrationHandlers, 'automations_list' | 'automations_listDeliveries' | 'automations_replay'>;

/** What is known of the deliveries of an automation. */
interface Outcomes {
  readonly pending: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly last_error: string | null;
  readonly last_attempt_at: string | null;
}

const none: Outcomes = { pending: 0, succeeded: 0, failed: 0, last_error: null, last_attempt_at: null };

/** Counts the deliveries of a tenant's automations by their outcome. */
const readOutcomes = async (
  database: Pick<Database, 'forTenant'>,
  tenant: Tenant,
): Promise<ReadonlyMap<number, Outcomes>> => {
  const [result] = await database.forTenant(tenant).read({
    name: 'automation_outcomes',
    text: `select automation_id, count(*) filter (where status = 1), count(*) filter (where status = 2),
        count(*) filter (where status = 3),
        (array_agg(error order by attempted_at desc) filter (where status = 3))[1],
        to_char(max(attempted_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
      from automation_deliveries where tenant_id = $1 group by automation_id`,
    values: [String(tenant.id)],
  });
  return new Map(
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
};

/** Returns the handlers of operations on automations and their deliveries. */
export const automationHandlers = (parts: AdministrationParts, membersOf: MembersOf): Handlers => {
  const automations = recordsOf(parts, membersOf, 'Automation');
  const deliveries = recordsOf(parts, membersOf, 'Delivery');
  return {
    automations_list: async ({ tenant, requestId }) => {
      const found = await automations.many({ tenant, requestId, operation: 'automations_list' });
      const outcomes = await readOutcomes(parts.database, tenant);
      return found.map(automation => ({ ...automation, ...(outcomes.get(automation.id) ?? none) }));
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
