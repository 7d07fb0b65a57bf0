import {
  type DecoratorContext,
  type Enum,
  getDoc,
  getExamples,
  getLifecycleVisibilityEnum,
  getVisibilityForClass,
  type Model,
  type ModelProperty,
  type Program,
  serializeValueAsJson,
  type Type,
  type Union,
} from '@typespec/compiler';
import { $ } from '@typespec/compiler/typekit';
import { getExtensions, setExtension } from '@typespec/openapi';
import { sealInput } from '../inputs.ts';
import { article, words } from '../words.ts';
import { keyOf, markOf } from './marks.ts';

type Phase = 'Create' | 'Read' | 'Update';

/** Whether the field is part of a create body, an update body or a response. */
export const isIn = (program: Program, property: ModelProperty, phase: Phase): boolean => {
  const lifecycle: Enum = getLifecycleVisibilityEnum(program);
  return [...getVisibilityForClass(program, property, lifecycle)].some(({ name }) => name === phase);
};

const fieldsOf = (program: Program, model: Model, phase: Phase): readonly ModelProperty[] =>
  [...model.properties.values()].filter(property => isIn(program, property, phase));

/** How a record is represented: in a response (with relations), in the body of a create, of an update, or of one that names its record. */
export type Shape = 'response' | 'related' | 'create' | 'update' | 'identified';

/**
 * Sets the type of the property to a resource's record in that shape, or to a list of records. The shapes are separate models since
 * the OpenAPI emitter would document instances of a template twice: alone and as items.
 */
export const shapedAs = (
  { program }: DecoratorContext,
  target: ModelProperty,
  resource: Model,
  shape: Shape,
  given?: string,
): void => {
  // Parameters of an operation template are also decorated before the resource is known.
  if (resource.kind !== 'Model') return;
  const model = shaped(program, resource, shape, given);
  const many = target.type.kind === 'Model' && target.type.name === 'Array';
  target.type = many ? $(program).array.create(model) : model;
};

const shaped = (program: Program, resource: Model, shape: Shape, given = ''): Model => {
  const made = program.stateMap(Symbol.for(`staffing.shape.${shape}.${given}`)) as Map<Model, Model>;
  const known = made.get(resource);
  if (known) return known;
  const model = $(program).model.create({ name: names[shape](resource.name) + within(given), properties: {} });
  made.set(resource, model);
  const phase = phases[shape];
  // An update may contain a record as it was read.
  for (const property of fieldsOf(program, resource, phase === 'Update' ? 'Read' : phase)) {
    if (shape === 'identified' && property.name === keyOf(program, resource)) addKey(program, model, property);
    else if (isIn(program, property, phase)) addField(program, model, property, shape, given);
    else addReadOnly(program, model, property);
  }
  if (shape === 'related') addRelations(program, model, resource);
  seal(program, model, resource);
  setExtension(
    program,
    model,
    'description',
    descriptions[shape](getDoc(program, resource) ?? '', words(resource.name)),
  );
  const example = exampleOf(program, resource, shape, given);
  if (example) setExtension(program, model, 'examples', [example]);
  return model;
};

const names: Record<Shape, (name: string) => string> = {
  response: name => name,
  related: name => `${name}WithRelations`,
  create: name => `${name}Create`,
  update: name => `${name}Update`,
  identified: name => `${name}IdentifiedUpdate`,
};

const reads = { response: 'Read', related: 'Read' } as const;
const phases: Record<Shape, Phase> = { ...reads, create: 'Create', update: 'Update', identified: 'Update' };

const descriptions: Record<Shape, (doc: string, noun: string) => string> = {
  response: doc => `${doc} Contains every field unless \`fields\` selects some.`,
  related: doc =>
    `${doc} Contains every field unless \`fields\` selects some, and the relations that \`embed\` requests.`,
  create: (_, noun) => `A new ${noun}. Omitted fields get their default values.`,
  update: (_, noun) =>
    `Changes of ${article(noun)}. Omitted fields keep their values; read-only fields may be sent unchanged.`,
  identified: (doc, noun) => `${descriptions.update(doc, noun)} \`id\` names the record.`,
};

/** `entity_id` → `ByEntityId`. */
const within = (given: string): string =>
  given && `By${given.replaceAll(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase())}`;

const addField = (program: Program, target: Model, property: ModelProperty, shape: Shape, given: string): void => {
  const isBody = phases[shape] !== 'Read';
  if (isBody) sealInput(program, property.type);
  const copy = program.checker.cloneType(property, {
    type: isBody ? requested(program, property.type, isSelect(program, property)) : property.type,
    optional: shape !== 'create' || property.optional || property.defaultValue !== undefined || property.name === given,
    model: target,
    sourceProperty: property,
  });
  if (shape === 'create') describeDefault(program, copy);
  delete copy.defaultValue;
  const path = markOf(program, 'derived', property);
  if (path) setExtension(program, copy, 'x-derived', path);
  target.properties.set(copy.name, copy);
};

/** Adds a field's default value to its description: as the keyword `default`, generated clients would require the field. */
const describeDefault = (program: Program, field: ModelProperty): void => {
  if (field.defaultValue === undefined) return;
  const value = JSON.stringify(serializeValueAsJson(program, field.defaultValue, field.type));
  setExtension(program, field, 'description', `${getDoc(program, field) ?? ''} Default: \`${value}\`.`);
};

/** Adds the field that names the record. */
const addKey = (program: Program, target: Model, { name, type }: ModelProperty): void => {
  const property = $(program).modelProperty.create({ name, type, optional: false });
  property.model = target;
  setExtension(program, property, 'description', 'The id of the record to change.');
  target.properties.set(name, property);
};

/** Adds a field that the body may contain but not change. */
const addReadOnly = (program: Program, target: Model, { name, type }: ModelProperty): void => {
  const property = $(program).modelProperty.create({ name, type, optional: true });
  property.model = target;
  sealInput(program, type);
  setExtension(program, property, 'readOnly', true);
  target.properties.set(name, property);
};

/** Returns the type in requests, where flags, date-times and selects have more forms than in responses. */
const requested = (program: Program, type: Type, select = false): Type => {
  if (type.kind === 'Union' && type.expression) {
    const types = [...type.variants.values()].map(variant => variant.type);
    const inputs = types.map(variant => inputType(program, variant, select));
    if (inputs.every((input, index) => input === types[index])) return type;
    const union: Union = $(program).union.create(inputs.map(input => $(program).unionVariant.create({ type: input })));
    return union;
  }
  return inputType(program, type, select);
};

/** Whether the field is the id of a value of a collection. */
const isSelect = (program: Program, property: ModelProperty): boolean =>
  markOf(program, 'chosenFrom', property) !== undefined || markOf(program, 'predefined', property)?.type === 'select';

const inputType = (program: Program, type: Type, select = false): Type => {
  if (select && type.kind === 'Scalar' && type.name === 'Id') return named(program, 'Staffing.ChoiceInput');
  if (type.kind === 'Enum' && type.name === 'Flag') return named(program, 'Staffing.FlagInput');
  if (type.kind === 'Scalar' && type.name === 'DateTime') return named(program, 'Staffing.DateTimeInput');
  return type.kind === 'Model' ? inputModel(program, type) : type;
};

/** Returns the model or list with the request forms of all flags and no defaults at any depth; the same object if it has none. */
const inputModel = (program: Program, model: Model): Model => {
  if (model.name === 'Array') {
    const item = model.indexer?.value as Type;
    const input = inputMember(program, item);
    return input === item ? model : $(program).array.create(input);
  }
  const made = program.stateMap(Symbol.for('staffing.input')) as Map<Model, Model>;
  const known = made.get(model);
  if (known) return known;
  // Ends the recursion of a model that contains itself.
  made.set(model, model);
  const properties = [...model.properties.values()];
  if (properties.every(({ type, defaultValue }) => !defaultValue && inputMember(program, type) === type)) return model;
  const input = $(program).model.create({ name: `${model.name}Input`, properties: {} });
  if (model.indexer) input.indexer = model.indexer;
  for (const property of properties) {
    const type = inputMember(program, property.type);
    const optional = property.optional || property.defaultValue !== undefined;
    const copy = program.checker.cloneType(property, { type, optional, model: input, sourceProperty: property });
    describeDefault(program, copy);
    delete copy.defaultValue;
    input.properties.set(property.name, copy);
  }
  for (const [key, value] of getExtensions(program, model)) setExtension(program, input, key, value);
  setExtension(program, input, 'description', getDoc(program, model) ?? '');
  made.set(model, input);
  return input;
};

/** Returns the type of a member in requests. Nested date-times are stored as sent and therefore keep their single form. */
const inputMember = (program: Program, type: Type): Type => (type.kind === 'Scalar' ? type : requested(program, type));

const named = (program: Program, reference: string): Type => {
  const [type] = program.resolveTypeReference(reference);
  if (!type) throw new Error(`The spec's conventions lack ${reference}.`);
  return type;
};

const addRelations = (program: Program, target: Model, resource: Model): void => {
  for (const { name, short, related, many } of markOf(program, 'relations', resource) ?? []) {
    const record = shaped(program, related, 'response');
    const type = many
      ? $(program).array.create(record)
      : $(program).union.create(
          [record, $(program).intrinsic.null].map(type => $(program).unionVariant.create({ type })),
        );
    for (const key of new Set([name, short])) {
      if (target.properties.has(key)) continue;
      const property = $(program).modelProperty.create({ name: key, type, optional: true });
      property.model = target;
      setExtension(program, property, 'description', `With \`embed=${key}\`: ${describe(program, related, many)}`);
      target.properties.set(key, property);
    }
  }
};

const describe = (program: Program, related: Model, many: boolean): string => {
  const resource = markOf(program, 'resource', related) ?? related.name;
  return many ? `the related ${resource}, ordered by id.` : `the related record of ${resource}, or null.`;
};

const seal = (program: Program, target: Model, resource: Model): void => {
  if (markOf(program, 'dynamicFields', resource)) {
    const description = 'A field that the tenant has defined; its name contains the id of its attribute.';
    setExtension(program, target, 'patternProperties', { '^dynamic_field_[1-9][0-9]*$': { description } });
  }
  setExtension(program, target, 'additionalProperties', false);
};

/** Returns the example of the resource: all fields for a response, those that the body accepts for a request. */
const exampleOf = (program: Program, resource: Model, shape: Shape, given: string): Record<string, unknown> | null => {
  const phase = phases[shape];
  const key = shape === 'identified' ? [keyOf(program, resource)] : [];
  const [example] = getExamples(program, resource);
  if (!example) return null;
  const values = serializeValueAsJson(program, example.value, resource) as Record<string, unknown>;
  const names = [...key, ...fieldsOf(program, resource, phase).map(({ name }) => name)];
  const shown = phase === 'Read' ? names : names.filter(name => name in values && name !== given);
  return Object.fromEntries(shown.map(name => [name, values[name] ?? null]));
};
