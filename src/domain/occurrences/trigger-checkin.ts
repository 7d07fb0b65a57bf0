import type { Transaction } from '../../db/database.ts';
import type { Values } from '../../engine/body.ts';
import { triggerAutomations } from './trigger.ts';

/** Triggers the automations for a new check-in. */
export const triggerOnCheckin = (checkin: Values, transaction: Transaction): Promise<void> => {
  const { id = null, assignment_id = null, type = null, source = null, timestamp = null } = checkin;
  const load = async () => {
    const { employee_id, event_function_id, event_id } = await transaction.kysely
      .selectFrom('assignments_view')
      .select(['employee_id', 'event_function_id', 'event_id'])
      .where('id', '=', Number(assignment_id))
      .executeTakeFirstOrThrow();
    return [{ checkin_id: id, assignment_id, employee_id, event_function_id, event_id, type, source, timestamp }];
  };
  return triggerAutomations('checkin.created', load, transaction);
};
