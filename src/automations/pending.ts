import { triggersOf } from '../../generated/automations.ts';
import type { Tenant } from '../core/principal.ts';
import { type Module, modulesOf } from '../core/resource/modules.ts';
import type { TenantQuery, Transaction } from '../db/database.ts';
import {
  type ActingUser,
  type ActorRow,
  actorColumns,
  actorOf,
  findObstacle,
  isWithheld,
  needsOf,
  type Obstacle,
  sentResources,
} from '../domain/occurrences/access.ts';
import type { AutomationTexts, RoutineType, TriggerType } from '../domain/occurrences/configuration.ts';
import type { Occurrence } from '../domain/occurrences/trigger.ts';
import { activeModules } from '../tenancy/active-modules.ts';

/** The status of a delivery that is to be attempted. */
export const PENDING = 1;

/** A pending delivery with its automation, and whom and where it acts for. */
export interface Delivery extends AutomationTexts {
  readonly id: number;
  readonly automation_id: number;
  readonly event_id: string;
  readonly event_type: TriggerType;
  readonly data: Occurrence;
  readonly depth: number;
  readonly attempt: number;
  readonly created_at: string;
  readonly is_test: boolean;
  readonly replay_of: number | null;
  readonly lane: string | null;
  /** Those of the tenant. */
  readonly modules: ReadonlySet<Module>;
  readonly actor: ActingUser;
}

/**
 * Why a delivery is not to be attempted.
 * It is not pending, or its tenant is disabled, so that it is left to be attempted later.
 */
export type NotNow = 'done' | 'postponed';

/**
 * Reads a pending delivery with its automation.
 * One of a sandbox must be due by its clock: when that is moved, deliveries run without their jobs, which then find
 * the next attempt.
 */
export const readPending = async (id: number, transaction: Transaction): Promise<Delivery | NotNow> => {
  const [[present], [row]] = await transaction.run(activeModules, pendingQuery(id, transaction.tenant));
  if (!row) return 'done';
  if (!present?.modules) return 'postponed';
  return { ...row, modules: modulesOf(present.modules), actor: actorOf(row) };
};

type PendingRow = Omit<Delivery, 'actor' | 'modules'> & ActorRow;

const pendingQuery = (id: number, { sandbox }: Tenant): TenantQuery<PendingRow> => ({
  for: tenantId => ({
    name: 'pending_delivery',
    text: `
      select d.id, d.automation_id, d.event_id, d.event_type, d.data, d.depth, d.attempt, d.created_at, d.is_test, d.replay_of, d.lane,
        a.trigger_type, a.trigger_configuration, a.routine_type, a.routine_configuration,
        ${actorColumns}
      from automation_deliveries d
      join automations a on a.tenant_id = $1 and a.id = d.automation_id
      left join api_users u on u.tenant_id = $1 and u.id = a.api_user_id
      where d.tenant_id = $1 and d.id = $2 and d.status = ${PENDING} and (not $3::boolean or d.next_attempt_at <= tenant_now())`,
    values: [String(tenantId), String(id), String(sandbox)],
  }),
});

/** Why a delivery is not attempted: for good. */
type DeliveryObstacle = Obstacle | 'routine_changed';

/**
 * Returns why a delivery is not attempted.
 * It needs what its API user, or its tenant, may have lost meanwhile, and a routine that it is for.
 */
export const obstacleTo = (delivery: Delivery): DeliveryObstacle | null => {
  if (!isForRoutine(delivery)) return 'routine_changed';
  const own = needsOf(delivery);
  // What has happened may be of another trigger: that of the automation can have changed.
  const read = delivery.is_test ? own.read : sentResources(delivery.event_type, delivery.data);
  if (isWithheld(delivery.event_type, delivery.data, delivery.actor)) return 'scope_missing';
  return findObstacle({ ...own, read }, delivery.actor, delivery);
};

/**
 * Whether a delivery is for the present routine of its automation.
 * What was sent as a webhook, or is only to be sent, changes no records; other routines take what has happened from some triggers only.
 */
const isForRoutine = ({ routine_type, event_type, attempt, is_test, replay_of }: Delivery): boolean => {
  if (routine_type === 'webhook.post') return true;
  const possible: readonly string[] = triggersOf[routine_type as RoutineType];
  return possible.includes(event_type) && attempt === 0 && !is_test && replay_of === null;
};
