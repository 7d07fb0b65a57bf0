import type { components } from '../../../generated/administration.ts';
import type { Json } from '../../core/call/reply.ts';
import type { JsonObject } from '../../core/json/object.ts';
import type { Task } from '../../http/perform.ts';
import type { AdministrationCall, HandlersOf, OperationId } from '../api/handler.ts';
import type { AdministrationParts } from './parts.ts';

/** The members of the document's schemas, by name: what is shown of a record. */
export type MembersOf = (schema: keyof components['schemas']) => readonly string[];

/** What differs from the call in the operation of the tenants' API that it performs. */
type TaskChanges = Partial<Pick<Task, 'body' | 'parameters' | 'apiUser'>>;

/** Returns functions that perform operations of the tenants' API; records are shown as a schema. */
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
  const done = (call: AdministrationCall<OperationId>, operation: string, changes: TaskChanges = {}): Promise<Json> =>
    perform({ ...taskOf(call), operation, ...changes });
  return {
    one: async (...asked: Parameters<typeof done>): Promise<ShownDefinition> => shown(await done(...asked)),
    many: async (...asked: Parameters<typeof done>): Promise<ShownDefinition[]> =>
      ((await done(...asked)) as readonly Json[]).map(shown),
    none: async (...asked: Parameters<typeof done>): Promise<undefined> => void (await done(...asked)),
  };
};

/** The parts of a task that are those of the call: the tenant is no part of its paths. */
const taskOf = ({ tenant, requestId, body, params: given }: AdministrationCall<OperationId>) => {
  if (!tenant) throw new Error('The operation has no tenant in its path.');
  const { tenant: _, ...params } = given as Readonly<Record<string, number | string>>;
  return { tenant, requestId, params, ...(body !== undefined && { body: body as unknown as JsonObject }) };
};

/** Returns the handlers for forms, attributes and collections, which call the tenants' API. */
export const fieldHandlers = (
  parts: AdministrationParts,
  membersOf: MembersOf,
): HandlersOf<'forms' | 'attributes' | 'collections'> => {
  const forms = recordsOf(parts, membersOf, 'Form');
  const attributes = recordsOf(parts, membersOf, 'Attribute');
  const collections = recordsOf(parts, membersOf, 'Collection');
  const values = recordsOf(parts, membersOf, 'CollectionValue');
  const attributeListing = [
    ['fields', membersOf('Attribute').join()],
    ['sort', 'entity_id,order,id'],
  ] as const;
  return {
    forms_list: call => forms.many(call, 'forms_list'),
    forms_create: call => forms.one(call, 'forms_create'),
    forms_update: call => forms.one(call, 'forms_update'),
    attributes_list: call => attributes.many(call, 'attributes_list', { parameters: attributeListing }),
    attributes_create: call => attributes.one(call, 'attributes_create'),
    attributes_update: call => attributes.one(call, 'attributes_update'),
    attributes_delete: call => attributes.none(call, 'attributes_delete'),
    collections_list: call => collections.many(call, 'collections_list'),
    collections_create: call => collections.one(call, 'collections_create'),
    collections_update: call => collections.one(call, 'collections_update'),
    collections_listValues: call => values.many(call, 'collectionsValues_list', { parameters: [['sort', 'order,id']] }),
    collections_createValue: call => values.one(call, 'collectionsValue_create'),
    collections_updateValue: call => values.one(call, 'collectionsValue_updateById'),
  };
};
