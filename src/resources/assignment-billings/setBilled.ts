import { fieldError, validationFailed } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { oneOf } from '../../db/ids.ts';
import { now } from '../../db/now.ts';
import { type Action, type ActionCall, ok } from '../../engine/action.ts';
import { checkInstant } from '../../engine/value.ts';
import { type BulkOutcome, bulkIds, bulkReport } from '../../engine/writing/bulk.ts';
import { disabledErrors } from './rules.ts';

const IDS = 'assignment_billing_ids';

/**
 * PUT /assignment-billings/billed: sets when many billings were billed, and returns a result for each.
 * See docs/decisions.md, "Bulk operations".
 */
export const setBilled: Action<'assignmentBillings_setBilled'> = (call, db) =>
  db.transaction(async transaction => {
    const ids = bulkIds(call.body[IDS], IDS);
    const atomic = Boolean(call.body.atomic);
    const billedOn = billedOnOf(call);
    const outcomes = await judged(ids, billedOn, transaction);
    const report = bulkReport('assignment_billing_id', outcomes, atomic, call.principal.apiUser, () => ({}));
    await transaction.kysely
      .updateTable('assignment_billings')
      .set({ billed_on: billedOn, updated_at: now })
      .where('id', '=', oneOf(outcomes.filter(({ result }) => result === 'changed').map(({ id }) => id)))
      .execute();
    return ok(report);
  });

const billedOnOf = ({ body, principal }: ActionCall<'assignmentBillings_setBilled'>): string | null => {
  if (body.billed_on === null) return null;
  const checked = checkInstant({ name: 'billed_on' }, body.billed_on, principal.tenant.timeZone);
  if ('errors' in checked) throw validationFailed(checked.errors);
  return checked.value as string;
};

/** Locks billings, and returns what becomes of each, in the order given. */
const judged = async (
  ids: readonly number[],
  billedOn: string | null,
  { kysely }: Transaction,
): Promise<readonly BulkOutcome[]> => {
  const rows = await kysely
    .selectFrom('assignment_billings')
    .select(['id', 'billed_on', 'is_disabled'])
    .where('id', '=', oneOf(ids))
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  const billings = new Map(rows.map(row => [row.id, row]));
  return ids.map(id => {
    const billing = billings.get(id);
    if (!billing)
      return { id, result: 'failed', errors: [fieldError('reference_not_found', IDS, `There is no billing ${id}.`)] };
    if (billing.billed_on === billedOn) return { id, result: 'unchanged', errors: [] };
    const errors = disabledErrors(billing.billed_on, billedOn, billing.is_disabled);
    return { id, result: errors.length > 0 ? 'failed' : 'changed', errors };
  });
};
