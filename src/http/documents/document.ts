import { type Attribute, selects } from '../../attributes/attributes.ts';
import { extend, fieldName } from '../../attributes/fields.ts';
import { referredSchemas } from '../../core/json/references.ts';
import { patterns } from '../../core/lines.ts';
import type { Category } from '../../core/resource/categories.ts';
import type { Module, Resource } from '../../core/resource/resource.ts';
import { traitsOf } from '../operation/traits.ts';
import { hideCategories } from './hide.ts';
import { type DocumentNode, everyOperation, methods, operationsOf, schemasOf } from './parts.ts';

/** A choice of a select field. */
export interface CollectionChoice {
  readonly id: number;
  readonly collectionId: number;
  readonly name: string;
  /** Records that have it keep it and can be put back, but it can't be chosen anew. */
  readonly deleted: boolean;
}

/** The modules, fields, choices and hidden categories by which a tenant's document differs. */
export interface TenantDetails {
  readonly modules: ReadonlySet<Module>;
  readonly attributes: readonly Attribute[];
  readonly choices: readonly CollectionChoice[];
  /** The categories whose fields the document leaves out. */
  readonly hidden: readonly Category[];
}

/**
 * Returns the document of one tenant.
 * Operations and relations of its modules only, its own fields with labels, types and choices, and the choices of
 * predefined selects.
 */
export const tenantDocument = (
  general: object,
  resources: Readonly<Record<string, Resource>>,
  { modules, attributes: all, choices, hidden }: TenantDetails,
): object => {
  const document: DocumentNode = structuredClone(general);
  const attributes = all.filter(({ category }) => category === null || !hidden.includes(category));
  const offered = choices.filter(({ deleted }) => !deleted);
  dropModules(document, modules);
  for (const resource of Object.values(resources)) {
    const operations = operationsOf(document, resource);
    const schemas = schemasOf(document, operations);
    for (const { name, short, resource: target } of resource.relations) {
      const module = resources[target]?.module;
      if (!module || modules.has(module as Module)) continue;
      for (const schema of schemas) for (const property of [name, short]) delete schema.properties?.[property];
    }
    if (!resource.dynamic) continue;
    const own = attributes.filter(({ entity, deleted }) => entity === resource.name && !deleted);
    const requested = ['create', 'update'].flatMap(verb => schemasOf(document, operations, verb));
    const created = schemasOf(document, operations, 'create')[0];
    for (const schema of schemas)
      describeFields(schema, own, schema === created ? offered : choices, requested.includes(schema));
    const required = own.filter(({ required }) => required).map(fieldName);
    if (created && required.length > 0) created.required = [...new Set([...(created.required ?? []), ...required])];
    for (const schema of schemas)
      for (const example of schema.examples ?? []) fitExample(example, schema, own, offered);
    const list = operations.find(operation => traitsOf(operation).verb === 'list');
    list?.parameters?.push(...own.filter(({ slot }) => slot !== null).map(filterOf));
  }
  const whole = Object.values(resources).map(resource => ({
    ...resource,
    fields: extend(resource, attributes).fields,
  }));
  hideCategories(document, Object.fromEntries(whole.map(resource => [resource.name, resource])), hidden);
  dropUnused(document);
  return document;
};

const dropModules = (document: DocumentNode, modules: ReadonlySet<Module>): void => {
  for (const items of [document.paths, document.webhooks ?? {}]) {
    for (const [name, item] of Object.entries<DocumentNode>(items)) {
      for (const method of methods) {
        const { module } = traitsOf(item[method] ?? {});
        if (module && !modules.has(module as Module)) delete item[method];
      }
      if (!methods.some(method => item[method])) delete items[name];
    }
  }
  const used = new Set(everyOperation(document).flatMap(({ tags = [] }) => tags));
  document.tags = document.tags?.filter(({ name }: DocumentNode) => used.has(name));
};

const describeFields = (
  schema: DocumentNode,
  attributes: readonly Attribute[],
  choices: readonly CollectionChoice[],
  isInput: boolean,
): void => {
  if (!schema?.properties) return;
  const [general = {}] = Object.values<DocumentNode>(schema.patternProperties ?? {});
  const { 'x-derived-from': sources } = general;
  delete schema.patternProperties;
  for (const attribute of attributes) {
    const { identifier, name, slot, collectionId } = attribute;
    if (slot !== null)
      schema.properties[fieldName(attribute)] = {
        title: name,
        ...schemaOf(attribute, choices, isInput),
        ...(sources && { 'x-derived-from': sources }),
      };
    else if (identifier !== null && schema.properties[identifier]) {
      const property = schema.properties[identifier];
      const offered =
        collectionId === null ? {} : { anyOf: [...choiceOf(collectionId, choices, isInput), { type: 'null' }] };
      schema.properties[identifier] = { ...property, title: name, ...offered };
    }
  }
};

/** Fits an example to the tenant: its choices, and its required fields. */
const fitExample = (
  example: DocumentNode,
  schema: DocumentNode,
  attributes: readonly Attribute[],
  choices: readonly CollectionChoice[],
): void => {
  for (const attribute of attributes) {
    const name = fieldName(attribute);
    const fits = name in example ? !selects.has(attribute.type) : !schema.required?.includes(name);
    if (!fits) example[name] = sampleOf(attribute, choices) ?? example[name];
  }
};

const samples: Readonly<Record<string, string | number>> = {
  text: 'A text',
  number: 1,
  boolean: 1,
  date: '2026-01-31',
  email: 'jana.petersen@nordlicht.example',
  phone: '+49 30 23125501',
  file: 1,
};

const sampleOf = (
  { type, collectionId }: Attribute,
  choices: readonly CollectionChoice[],
): string | number | number[] | undefined => {
  const choice = choices.find(candidate => candidate.collectionId === collectionId)?.id;
  return type === 'multi_select' && choice !== undefined ? [choice] : (samples[type] ?? choice);
};

const scalars: Readonly<Record<string, object>> = {
  text: { type: 'string', maxLength: 500, pattern: patterns.one },
  number: { type: 'number' },
  boolean: { type: 'integer', enum: [0, 1] },
  date: { type: 'string', format: 'date' },
  email: { $ref: '#/components/schemas/Email' },
  phone: { $ref: '#/components/schemas/Phone' },
  file: { type: 'integer', minimum: 1, description: 'The id of a file.' },
};

const schemaOf = (
  { type, collectionId }: Attribute,
  choices: readonly CollectionChoice[],
  isInput: boolean,
): object => {
  const choice = choiceOf(collectionId, choices, isInput);
  const [first] = choice;
  const items = choice.length > 1 ? { anyOf: choice } : first;
  const chosen = type === 'multi_select' ? [{ type: 'array', items }] : choice;
  return { anyOf: [...(scalars[type] ? [scalars[type]] : chosen), { type: 'null' }], 'x-attribute-type': type };
};

/** A select with more choices does not list them. */
const mostChoices = 500;

/** In a request, a value of a collection is given by its id or its identifier. */
const identifier = { type: 'string', minLength: 1, maxLength: 255, description: 'The identifier of the value.' };

const choiceOf = (
  collectionId: number | null,
  choices: readonly CollectionChoice[],
  isInput: boolean,
): readonly object[] => {
  const offered = choices.filter(choice => choice.collectionId === collectionId);
  const id = { type: 'integer', description: `The id of a value of collection ${collectionId}.` };
  const listed = offered.length > 0 && offered.length <= mostChoices;
  const choice = listed ? { ...id, oneOf: offered.map(choiceSchemaOf) } : id;
  return isInput ? [choice, identifier] : [choice];
};

const choiceSchemaOf = ({ id, name, deleted }: CollectionChoice): object => ({
  const: id,
  title: name,
  ...(deleted && { deprecated: true }),
});

const filterOf = (attribute: Attribute): object => ({
  name: fieldName(attribute),
  in: 'query',
  required: false,
  description: `Returns only records whose field "${attribute.name}" matches.`,
  schema: { type: 'string' },
});

/** Removes schemas that are no longer referenced. */
const dropUnused = (document: DocumentNode): void => {
  const { schemas, parameters, responses } = document.components;
  const used = referredSchemas([document.paths, document.webhooks, parameters, responses], schemas);
  for (const name of Object.keys(schemas)) if (!used.has(name)) delete schemas[name];
};
