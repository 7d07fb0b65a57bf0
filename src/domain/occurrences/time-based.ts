import { chunksOf } from '../../core/chunks.ts';
import type { Statement, Transaction } from '../../db/database.ts';
import { withIds } from '../../db/ids.ts';
import { activeModules } from '../../tenancy/active-modules.ts';
import type { TriggerConfiguration, TriggerType } from './configuration.ts';
import { dueEvents, dueFunctions, resetFilled, type Subject } from './due.ts';
import { addDeliveries } from './trigger.ts';

/** What marking takes of a transaction, so that one of the tables' owner can do it. */
export type Marking = Pick<Transaction, 'kysely' | 'newIds' | 'send'>;

/** Which automations of a tenant; what is undefined restricts nothing. */
export interface Which {
  readonly apiUserId?: number;
  readonly id?: number;
}

/** Triggers a tenant's due time-based automations unless it is disabled; returns the deliveries added. */
export const triggerDue = async (present: Date, transaction: Transaction): Promise<number> => {
  const [[own]] = await transaction.run(activeModules);
  if (!own?.modules) return 0;
  let added = 0;
  for await (const { id, type, subjects } of markDue(present, {}, transaction.tenant.id, transaction)) {
    const deliveries = subjects.map(({ data }) => ({ automationId: id, data }));
    await addDeliveries(type, deliveries, transaction);
    added += deliveries.length;
  }
  return added;
};

/** What is due for one automation and has not triggered it yet. */
interface Due {
  readonly id: number;
  readonly type: TriggerType;
  readonly subjects: readonly Subject[];
}

/**
 * Marks what is due for the automations that run as having triggered them, and yields it.
 * @param present the present of the tenant's clock
 */
export async function* markDue(
  present: Date,
  which: Which,
  tenantId: number,
  transaction: Marking,
): AsyncGenerator<Due> {
  const [found] = await transaction.send(timeBased(which, tenantId));
  await resetFilled(transaction);
  for (const [given, type, configuration, since] of found?.rows ?? []) {
    const id = Number(given);
    const { minutes }: TriggerConfiguration = JSON.parse(String(configuration));
    const automation = { id, since: String(since) };
    const subjects =
      type === 'event.starts_in'
        ? await dueEvents({ ...automation, minutes: minutes ?? 0 }, present, transaction)
        : await dueFunctions({ ...automation, minutes: minutes ?? null }, present, transaction);
    yield { id, type: type as TriggerType, subjects: await mark(id, subjects, transaction) };
  }
}

/**
 * Automations whose API user is disabled do not run.
 * Each with the time since which it has its trigger: that of its creation, or of the change to this trigger.
 * They are locked against removal: marks refer to them.
 */
const timeBased = ({ apiUserId, id }: Which, tenantId: number): Statement => ({
  name: null,
  text: `
    select a.id, a.trigger_type, a.trigger_configuration, coalesce((
      select max(j.at) from journal j
      where j.tenant_id = $1 and j.resource = 'automations' and j.id = a.id and 'trigger_type' = any(j.fields)
    ), a.created_at)
    from automations a
    left join api_users u on u.tenant_id = $1 and u.id = a.api_user_id
    where a.tenant_id = $1 and a.trigger_type in ('event.starts_in', 'function.understaffed')
      and (a.api_user_id is null or u.active)
      and a.api_user_id is not distinct from coalesce($2::bigint, a.api_user_id) and a.id = coalesce($3::bigint, a.id)
    order by a.id
    for key share of a`,
  values: [tenantId, apiUserId, id].map(value => (value === undefined ? null : String(value))),
});

/** Removes the marks of an automation whose trigger has changed: they have ids of other records. */
export const removeMarks = async (automationId: number, { kysely }: Transaction): Promise<void> => {
  await kysely.deleteFrom('automation_occurrences').where('automation_id', '=', automationId).execute();
};

/** Marks subjects, and returns those not marked before: each triggers an automation once. */
const mark = async (
  automationId: number,
  subjects: readonly Subject[],
  transaction: Marking,
): Promise<readonly Subject[]> => {
  const marked = new Set<number>();
  for (const chunk of chunksOf(subjects, chunkSize)) {
    const marks = chunk.map(({ id, start }) => ({ automation_id: automationId, subject_id: id, start }));
    const added = await transaction.kysely
      .insertInto('automation_occurrences')
      .values(await withIds(transaction, 'automation_occurrences', marks))
      .onConflict(conflict => conflict.columns(['automation_id', 'subject_id', 'start']).doNothing())
      .returning('subject_id')
      .execute();
    for (const { subject_id } of added) marked.add(subject_id);
  }
  return subjects.filter(({ id }) => marked.has(id));
};

/** Rows per insert. */
const chunkSize = 2000;
