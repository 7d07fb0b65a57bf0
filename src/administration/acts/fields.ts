import type { components } from '../../../generated/administration.ts';
import type { Json } from '../../core/call/reply.ts';
import type { JsonObject } from '../../core/json/object.ts';
import type { Task } from '../../http/perform.ts';
import type { AdministrationCall, AdministrationHandlers, OperationId } from '../api/handler.ts';
import type { AdministrationParts } from './parts.ts';

/** The members of the document's schemas, by name: what is shown of a record. */
export type MembersOf = (schema: keyof components['schemas']) => readonly string[];

type FieldHandlers = Pick<
  AdministrationHandlers,
  | 'forms_list'
  | 'forms_create'
  | 'forms_update'
  | 'attributes_list'
  | 'attributes_create'
  | 'attributes_update'
  | 'attributes_delete'
  | 'collections_list'
  | 'collections_create'
  | 'collections_update'
  | 'collections_listValues'
  | 'collections_createValue'
  | 'collections_updateValue'
>;

/** Returns functions that perform operations of the tenants' API, for records shown as a schema. */
export const recordsOf = <Name extends keyof components['schemas']>(
  { perform }: Pick<AdministrationParts, 'perform'>,
  membersOf: MembersOf,
  schema: Name,
) => {
  type ShownDefinition = components['schemas'][Name];
  const members = membersOf(schema);
  // Safe: contract tests compare the responses with the document.
  const shown = (record: Json): ShownDefinition =>
    Object.fromEntries(members.map(name => [name, (record as JsonObject)[name] ?? null])) as unknown as ShownDefinition;
  return {
    one: async (task: Task): Promise<ShownDefinition> => shown(await perform(task)),
    many: async (task: Task): Promise<ShownDefinition[]> => ((await perform(task)) as readonly Json[]).map(shown),
  };
};

/** The parts of a task that are the same for all operations. */
const taskOf = ({ tenant, requestId, body }: AdministrationCall<OperationId>) => {
  if (!tenant) throw new Error('The operation has no tenant in its path.');
  return { tenant, requestId, ...(body !== undefined && { body: body as unknown as JsonObject }) };
};

/** Returns the handlers for forms, attributes and collections, which call the tenants' API. */
export const fieldHandlers = (parts: AdministrationParts, membersOf: MembersOf): FieldHandlers => {
  const forms = recordsOf(parts, membersOf, 'Form');
  const attributes = recordsOf(parts, membersOf, 'Attribute');
  const collections = recordsOf(parts, membersOf, 'Collection');
  const values = recordsOf(parts, membersOf, 'CollectionValue');
  return {
    forms_list: call => forms.many({ ...taskOf(call), operation: 'forms_list' }),
    forms_create: call => forms.one({ ...taskOf(call), operation: 'forms_create' }),
    forms_update: call => forms.one({ ...taskOf(call), operation: 'forms_update', params: { id: call.params.id } }),

    attributes_list: call =>
      attributes.many({
        ...taskOf(call),
        operation: 'attributes_list',
        parameters: [
          ['fields', membersOf('Attribute').join()],
          ['sort', 'entity_id,order,id'],
        ],
      }),
    attributes_create: call => attributes.one({ ...taskOf(call), operation: 'attributes_create' }),
    attributes_update: call =>
      attributes.one({ ...taskOf(call), operation: 'attributes_update', params: { id: call.params.id } }),
    attributes_delete: async call => {
      await parts.perform({ ...taskOf(call), operation: 'attributes_delete', params: { id: call.params.id } });
      return undefined;
    },

    collections_list: call => collections.many({ ...taskOf(call), operation: 'collections_list' }),
    collections_create: call => collections.one({ ...taskOf(call), operation: 'collections_create' }),
    collections_update: call =>
      collections.one({ ...taskOf(call), operation: 'collections_update', params: { id: call.params.id } }),
    collections_listValues: call =>
      values.many({
        ...taskOf(call),
        operation: 'collectionsValues_list',
        params: { id: call.params.id },
        parameters: [['sort', 'order,id']],
      }),
    collections_createValue: call =>
      values.one({ ...taskOf(call), operation: 'collectionsValue_create', params: { id: call.params.id } }),
    collections_updateValue: call =>
      values.one({
        ...taskOf(call),
        operation: 'collectionsValue_updateById',
        params: { id: call.params.id, value_id: call.params.value_id },
      }),
  };
};
