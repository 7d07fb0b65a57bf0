import { fieldError } from '../errors.ts';
import type { Rules } from '../resource/rules.ts';

/** A form stays with its entity while it has attributes: what they define are that resource's fields, with its records' values. */
export const forms: Rules = {
  check: async ({ before, after }, { kysely }) => {
    if (!before || !after || before.entity === after.entity) return [];
    const query = kysely.selectFrom('attributes').select('id').where('entity_id', '=', Number(before.id)).limit(1);
    if (!(await query.executeTakeFirst())) return [];
    return [fieldError('read_only', 'entity', "entity: it can't be changed while the form has attributes.")];
  },
  follow: async () => {},
};
