import { changedBy, sentBy } from '../../../generated/automations.ts';
import { resources } from '../../../generated/resources.ts';
import { ApiError } from '../../core/errors.ts';
import type { Tenant } from '../../core/principal.ts';
import { type Access, isAllowed, scopeMissing, unrestricted } from '../../core/resource/access.ts';
import { categories } from '../../core/resource/categories.ts';
import type { Module, Resource } from '../../core/resource/resource.ts';
import type { SentRecords } from '../../core/resource/withheld.ts';
import type { Transaction } from '../../db/database.ts';
import type { AutomationTexts, RoutineType, TriggerType } from './configuration.ts';

/** The API user that an automation acts for; null: the administration, which may do everything. */
export interface ActingUser extends Access {
  readonly id: number;
  readonly readOnly: boolean;
  readonly active: boolean;
}

/** The columns of ActorRow, of automations (`a`) and the API users that they act for, joined as `u`. */
export const actorColumns = 'a.api_user_id, u.active, u.read_only, u.scopes, u.hidden';

/** What is read of an automation and its API user; null: there is none. */
export interface ActorRow {
  readonly api_user_id: number | null;
  readonly active: boolean | null;
  readonly read_only: boolean | null;
  readonly scopes: readonly string[] | null;
  readonly hidden: Access['hidden'] | null;
}

/** Returns the API user that an automation acts for. One that does not exist is inactive. */
export const actorOf = ({ api_user_id: id, active, read_only, scopes, hidden }: ActorRow): ActingUser =>
  id === null
    ? { id: 0, readOnly: false, active: true, ...unrestricted }
    : {
        id,
        readOnly: read_only ?? true,
        active: active ?? false,
        scopes: scopes ?? ['none'],
        hidden: hidden ?? categories,
      };

/** The resources that an automation needs access to. */
export interface Needs {
  /** Those whose records its trigger sends. */
  readonly read: readonly string[];
  /** Those whose records its routine changes. */
  readonly write: readonly string[];
}

/** Returns the resources that an automation needs, without those that its configuration leaves open. */
export const needsOf = ({ trigger_type, trigger_configuration, routine_type }: AutomationTexts): Needs => ({
  read: sentResources(trigger_type as TriggerType, JSON.parse(trigger_configuration)),
  write: changedBy[routine_type as RoutineType],
});

/** Returns the resources that a trigger sends. @param named its configuration or an occurrence's data */
export const sentResources = (type: TriggerType, named: Readonly<Record<string, unknown>>): readonly string[] => {
  const sent: SentRecords = sentBy[type];
  if (sent.resource !== undefined) return [sent.resource];
  return [named[String(sent.member)] ?? []].flat().map(String);
};

/** Whether an occurrence does not exist for an API user because a category is hidden from it. */
export const isWithheld = (
  type: TriggerType,
  data: Readonly<Record<string, unknown>>,
  { hidden }: Pick<Access, 'hidden'>,
): boolean => {
  const { withheld }: SentRecords = sentBy[type];
  return withheld !== undefined && hidden.includes(withheld.category) && data[withheld.member] === withheld.value;
};

/**
 * Returns the error with which an API user is rejected that lacks access to what an automation needs.
 * Null: it has it. Unknown names of resources are left to the check of the configuration.
 * @returns module_disabled, scope_missing (403) or read_only_user (405)
 */
export const accessError = (
  { read, write }: Needs,
  apiUser: Access & Pick<ActingUser, 'readOnly'>,
  { modules }: Pick<Tenant, 'modules'>,
): ApiError | null => {
  const disabled = [...read, ...write].map(moduleOf).find(module => module !== null && !modules.has(module));
  if (disabled) return new ApiError('module_disabled', { message: `The tenant does not have the module ${disabled}.` });
  const unread = read.find(name => Object.hasOwn(resources, name) && !isAllowed(apiUser, name, 'read'));
  if (unread !== undefined) return scopeMissing(unread);
  const unwritten = write.find(name => apiUser.readOnly || !isAllowed(apiUser, name, 'write'));
  if (unwritten === undefined) return null;
  if (!isAllowed(apiUser, unwritten, 'read')) return scopeMissing(unwritten, 'write');
  const message = `The routine changes ${unwritten}, which the API user cannot write.`;
  return new ApiError('read_only_user', { message, headers: { Allow: 'GET, HEAD' } });
};

const moduleOf = (name: string): Module | null =>
  (resources as Readonly<Record<string, Resource>>)[name]?.module ?? null;

/** Why a run is not made. */
export type Obstacle = 'module_disabled' | 'scope_missing';

/**
 * Returns why an automation may not run; null: it may.
 * See docs/decisions.md, "Automations and webhooks".
 */
export const findObstacle = (needs: Needs, actor: ActingUser, tenant: Pick<Tenant, 'modules'>): Obstacle | null => {
  if (!tenant.modules.has('automations')) return 'module_disabled';
  const code = actor.active ? accessError(needs, actor, tenant)?.code : 'scope_missing';
  if (code === undefined) return null;
  return code === 'module_disabled' ? code : 'scope_missing';
};

/** Whether the API user of an automation is disabled, so that nothing triggers it. */
export const isIdle = async (id: number, transaction: Transaction): Promise<boolean> => {
  const [found] = await transaction.send({
    name: null,
    text: `
      select 1 from automations a join api_users u on u.tenant_id = $1 and u.id = a.api_user_id
      where a.tenant_id = $1 and a.id = $2 and not u.active`,
    values: [String(transaction.tenant.id), String(id)],
  });
  return (found?.rows.length ?? 0) > 0;
};
