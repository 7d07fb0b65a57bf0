import { resources } from '../../../generated/resources.ts';
import { selects } from '../../attributes/attributes.ts';
import {
  keepCategoryStatement,
  registerField,
  renewStatement,
  unregisterStatement,
} from '../../attributes/registration.ts';
import { ApiError, type FieldError, fieldError } from '../../core/errors.ts';
import type { Resource } from '../../core/resource/resource.ts';
import type { Statement, Transaction } from '../../db/database.ts';
import type { Values } from '../../engine/body.ts';
import type { Rules } from '../../engine/rules.ts';

/** Only selects have collections; predefined attributes stay, as do fields that the spec requires. */
export const attributes: Rules = {
  check: async ({ before, after }, transaction) => {
    if (before && !after && before.deletable === 0) {
      throw new ApiError('forbidden', { message: 'A predefined attribute cannot be deleted.' });
    }
    if (!after) return { errors: [] };
    const errors = before
      ? await demandErrors(before, after, transaction)
      : collectionErrors(String(after.type), after.collection_id ?? null);
    return { errors: [...errors, ...categoryErrors(before, after)] };
  },
  follow: async ({ before, after }, transaction) => {
    const { id: tenantId } = transaction.tenant;
    if (before) {
      await transaction.send(renewStatement(tenantId), ...(after ? [] : deletionStatements(tenantId, before)));
    } else if (after) {
      const entity = await entityOf(after, transaction);
      if (table[entity]?.dynamic)
        await registerField(tenantId, { id: Number(after.id), type: String(after.type), entity }, transaction);
      else await transaction.send(renewStatement(tenantId));
    }
  },
};

/** The statements that keep what is left of an attribute that is deleted. */
const deletionStatements = (tenantId: number, { id, type, category = null }: Values): readonly Statement[] => [
  unregisterStatement(tenantId, String(id)),
  ...(category === null ? [] : [keepCategoryStatement(tenantId, String(id), String(type), String(category))]),
];

const table: Readonly<Record<string, Resource>> = resources;

/** The resource whose records the attribute's form describes. */
const entityOf = async (attribute: Values, { kysely }: Transaction): Promise<string> => {
  const query = kysely.selectFrom('forms').select('entity').where('id', '=', Number(attribute.entity_id));
  return (await query.executeTakeFirstOrThrow()).entity;
};

const demandErrors = async (
  before: Values,
  after: Values,
  transaction: Transaction,
): Promise<readonly FieldError[]> => {
  if (before.deletable === 1 || before.required === after.required || after.required === 1) return [];
  const entity = await entityOf(before, transaction);
  const field = table[entity]?.fields.find(({ name }) => name === before.identifier);
  return field?.required ? [fieldError('read_only', 'required', `required: ${field.name} is always required.`)] : [];
};

const collectionErrors = (type: string, collectionId: unknown): readonly FieldError[] => {
  const isSelect = selects.has(type);
  if (isSelect === (collectionId !== null)) return [];
  const message = `collection_id: an attribute of type ${type} ${isSelect ? 'needs a' : 'has no'} collection.`;
  return [fieldError(isSelect ? 'not_empty' : 'not_in_enumeration', 'collection_id', message)];
};

/** Predefined fields keep the spec's category; what every record must have can't be hidden. */
const categoryErrors = (before: Values | null, after: Values): readonly FieldError[] => {
  const { category = null } = after;
  if (before?.deletable === 0)
    return category === before.category
      ? []
      : [fieldError('read_only', 'category', 'category: that of a predefined attribute is fixed.')];
  return category !== null && after.required === 1
    ? [fieldError('not_in_enumeration', 'category', 'category: a required attribute has no category.')]
    : [];
};
