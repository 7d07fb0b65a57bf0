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
    if (!Object.hasOwn(resources, String(after.entity)))
      return {
        errors: [
          fieldError('not_in_enumeration', 'entity', 'entity: the name of a resource is expected, such as clients.'),
        ],
      };
    if (!before) return { errors: [] };
    const query = kysely.selectFrom('attributes').select('id').where('entity_id', '=', Number(before.id)).limit(1);
    if (!(await query.executeTakeFirst())) return { errors: [] };
    return {
      errors: [fieldError('read_only', 'entity', "entity: it can't be changed while the form has attributes.")],
    };
  },
};
