import { resources } from '../../../generated/resources.ts';
import { fieldError } from '../../core/errors.ts';
import type { Rules } from '../../engine/rules.ts';

/**
 * A form describes records of an existing resource.
 * That resource cannot be changed while the form has attributes, as they define fields of its records.
 */
export const forms: Rules = {
  check: async ({ before, after }, { kysely }) => {
    if (!after || before?.entity === after.entity) return { errors: [] };
    if (!Object.hasOwn(resources, String(after.entity))) {
      const message = 'entity: the name of a resource is expected, such as clients.';
      return { errors: [fieldError('not_in_enumeration', 'entity', message)] };
    }
    if (!before) return { errors: [] };
    const query = kysely.selectFrom('attributes').select('id').where('entity_id', '=', Number(before.id)).limit(1);
    const message = "entity: it can't be changed while the form has attributes.";
    return { errors: (await query.executeTakeFirst()) ? [fieldError('read_only', 'entity', message)] : [] };
  },
};
