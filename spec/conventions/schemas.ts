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
} from '@typespec/compiler';
import { $ } from '@typespec/compiler/typekit';
import { setExtension } from '@typespec/openapi';
import { describeDefault, isSelect, requested, sealInput } from '../inputs.ts';
import { article, words } from '../words.ts';
import { externalKeyOf, keyOf, markOf } from './marks.ts';

type Phase = 'Create' | 'Read' | 'Update';

/** Whether the field is part of a create body, an update body or a response. */
export const isIn = (program: Program, property: ModelProperty, phase: Phase): boolean => {
  const lifecycle: Enum = getLifecycleVisibilityEnum(program);
  return [...getVisibilityForClass(program, property, lifecycle)].some(({ name }) => name === phase);
};

const fieldsOf = (program: Program, model: Model, phase: Phase): readonly ModelProperty[] =>
  [...model.properties.values()].filter(property => isIn(program, property, phase));

/**
 * How a record is represented.
 * In the response to a write, in that to a read (with relations), as a relation, in the body of a create, of an update, or
 * of one that names its record.
 */
export type Shape = 'response' | 'related' | 'embedded' | 'create' | 'update' | 'identified' | 'upsert';

/**
 * Sets the type of the property to a resource's record in that shape, or to a list of records.
 * The shapes are separate models since the OpenAPI emitter would document instances of a template twice: alone and as
 * items.
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
    else if (isWritten(program, property, shape)) addField(program, model, property, shape, given);
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
  if (phases[shape] !== 'Read') bodiesOf(program).set(model, { resource, given });
  const example = shape === 'embedded' ? null : exampleOf(program, resource, shape, given);
  if (example) setExtension(program, model, 'examples', [example]);
  return model;
};

const names: Record<Shape, (name: string) => string> = {
  response: name => name,
  related: name => `${name}WithRelations`,
  embedded: name => `Embedded${name}`,
  create: name => `${name}Create`,
  update: name => `${name}Update`,
  identified: name => `${name}IdentifiedUpdate`,
  upsert: name => `${name}Upsert`,
};

const reads = { response: 'Read', related: 'Read', embedded: 'Read' } as const;
const phases: Record<Shape, Phase> = {
  ...reads,
  create: 'Create',
  update: 'Update',
  identified: 'Update',
  upsert: 'Update',
};

const descriptions: Record<Shape, (doc: string, noun: string) => string> = {
  response: doc => `${doc} Contains every field that the API user can see.`,
  related: doc =>
    `${doc} Contains every field unless \`fields\` selects some, and the relations that \`embed\` requests.`,
  embedded: doc => `${doc} Contains every field unless \`embed\` selects some.`,
  create: (_, noun) => `A new ${noun}. Omitted fields get their default values.`,
  update: (_, noun) =>
    `Changes of ${article(noun)}. Omitted fields keep their values; read-only fields may be sent unchanged.`,
  identified: (doc, noun) => `${descriptions.update(doc, noun)} \`id\` names the record.`,
  upsert: (_, noun) =>
    `${article(noun).replace(/^a/, 'A')} to create or change. Of a new one, omitted fields get their default values; of an existing one, they keep their values.`,
};

/** Whether a body in that shape can set the field. */
const isWritten = (program: Program, property: ModelProperty, shape: Shape): boolean =>
  isIn(program, property, phases[shape]) || (shape === 'upsert' && isIn(program, property, 'Create'));

/** Returns the models of bodies, with the resource of their record and the field set by the path. */
export const bodiesOf = (program: Program): Map<Model, { readonly resource: Model; readonly given: string }> =>
  program.stateMap(Symbol.for('staffing.bodies')) as Map<Model, { resource: Model; given: string }>;

/** Returns the models of bodies of actions that refer to records like a resource, with that resource. */
export const actionBodiesOf = (program: Program): Map<Model, Model> =>
  program.stateMap(Symbol.for('staffing.actionBodies')) as Map<Model, Model>;

/** `entity_id` → `ByEntityId`. */
const within = (given: string): string =>
  given && `By${given.replaceAll(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase())}`;

const addField = (program: Program, target: Model, property: ModelProperty, shape: Shape, given: string): void => {
  const isBody = phases[shape] !== 'Read';
  if (isBody) sealInput(program, property.type);
  const copy = program.checker.cloneType(property, {
    type: isBody ? requested(program, property.type, isSelect(program, property)) : property.type,
    optional: !isRequired(program, property, shape, given),
    model: target,
    sourceProperty: property,
  });
  if (shape === 'create') describeDefault(program, copy);
  delete copy.defaultValue;
  const path = markOf(program, 'derived', property);
  if (path) setExtension(program, copy, 'x-derived', path);
  target.properties.set(copy.name, copy);
};

/** Whether the representation always has the field: a read may select others, a user not see it. */
const isRequired = (program: Program, property: ModelProperty, shape: Shape, given: string): boolean => {
  const { name, optional, defaultValue } = property;
  if (shape === 'response') return markOf(program, 'sensitive', property) === undefined;
  return shape === 'create' && !optional && defaultValue === undefined && name !== given;
};

/** Adds the field that names the record. */
const addKey = (program: Program, target: Model, { name, type }: ModelProperty): void => {
  const property = $(program).modelProperty.create({ name, type, optional: false });
  property.model = target;
  setExtension(program, property, 'description', 'The id of the record to change.');
  target.properties.set(name, property);
};

/** Adds a field that the body may contain but not change. */
const addReadOnly = (program: Program, target: Model, source: ModelProperty): void => {
  const { name } = source;
  // What a create takes may be repeated in the form that the create had.
  const isCreated = isIn(program, source, 'Create');
  const type = isCreated ? requested(program, source.type, isSelect(program, source)) : source.type;
  const property = $(program).modelProperty.create({ name, type, optional: true });
  property.model = target;
  sealInput(program, type);
  setExtension(program, property, 'readOnly', true);
  target.properties.set(name, property);
};

const addRelations = (program: Program, target: Model, resource: Model): void => {
  for (const { name, short, related, many } of markOf(program, 'relations', resource) ?? []) {
    const record = shaped(program, related, 'embedded');
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

/** Returns the example of the resource: all fields for a response, accepted fields for a request. */
const exampleOf = (program: Program, resource: Model, shape: Shape, given: string): Record<string, unknown> | null => {
  const phase = phases[shape];
  const key = shape === 'identified' ? [keyOf(program, resource)] : [];
  const [example] = getExamples(program, resource);
  if (!example) return null;
  const values = serializeValueAsJson(program, example.value, resource) as Record<string, unknown>;
  const names = [...key, ...fieldsOf(program, resource, shape === 'upsert' ? 'Create' : phase).map(({ name }) => name)];
  const shown =
    phase === 'Read'
      ? names
      : names.filter(name => name in values && name !== given && name !== externalKeyOf(program, resource));
  return Object.fromEntries(shown.map(name => [name, values[name] ?? null]));
};
