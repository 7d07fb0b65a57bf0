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
import { article, words } from '../words.ts';
import { markOf } from './marks.ts';

type Phase = 'Create' | 'Read' | 'Update';

/** Whether the field is there in a create body, an update body or a response. */
export const isIn = (program: Program, property: ModelProperty, phase: Phase): boolean => {
  const lifecycle: Enum = getLifecycleVisibilityEnum(program);
  return [...getVisibilityForClass(program, property, lifecycle)].some(({ name }) => name === phase);
};

const fieldsOf = (program: Program, model: Model, phase: Phase): readonly ModelProperty[] =>
  [...model.properties.values()].filter(property => isIn(program, property, phase));

/** How a resource's record appears: in responses, there with its relations, in the bodies of creates and of updates. */
export type Shape = 'answer' | 'related' | 'create' | 'update';

/**
 * Gives the property the schema of a resource's record, or of a list of them. Models of their own rather than instances of a
 * template, which the OpenAPI emitter would document twice: alone and as items.
 */
export const shapedAs = (
  { program }: DecoratorContext,
  target: ModelProperty,
  resource: Model,
  shape: Shape,
  given?: string,
): void => {
  // Parameters of an operation's template are decorated before the resource is known, too.
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
  for (const property of fieldsOf(program, resource, phase)) addField(program, model, property, shape, given);
  if (shape === 'related') addRelations(program, model, resource);
  // What was read may be sent back in an update, read-only fields included.
  if (shape !== 'update') seal(program, model, resource);
  setExtension(
    program,
    model,
    'description',
    descriptions[shape](getDoc(program, resource) ?? '', words(resource.name)),
  );
  const example = exampleOf(program, resource, phase, given);
  if (example) setExtension(program, model, 'examples', [example]);
  return model;
};

const names: Record<Shape, (name: string) => string> = {
  answer: name => name,
  related: name => `${name}WithRelations`,
  create: name => `${name}Create`,
  update: name => `${name}Update`,
};

const phases: Record<Shape, Phase> = { answer: 'Read', related: 'Read', create: 'Create', update: 'Update' };

const descriptions: Record<Shape, (doc: string, noun: string) => string> = {
  answer: doc => `${doc} Every field is there, unless \`fields\` selects some.`,
  related: doc =>
    `${doc} Every field is there, unless \`fields\` selects some; relations are there if \`embed\` asks for them.`,
  create: (_, noun) => `A new ${noun}. Fields left out take their defaults.`,
  update: (_, noun) =>
    `Changes of ${article(noun)}. Fields left out keep their values; read-only ones may come along as read.`,
};

/** `entity_id` → `ByEntityId`. */
const within = (given: string): string =>
  given && `By${given.replaceAll(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase())}`;

const addField = (program: Program, target: Model, property: ModelProperty, shape: Shape, given: string): void => {
  const isBody = shape === 'create' || shape === 'update';
  const copy = program.checker.cloneType(property, {
    type: isBody ? requested(program, property.type) : property.type,
    optional: shape !== 'create' || property.optional || property.defaultValue !== undefined || property.name === given,
    model: target,
    sourceProperty: property,
  });
  if (shape !== 'create') delete copy.defaultValue;
  const path = markOf(program, 'derived', property);
  if (path) setExtension(program, copy, 'x-derived', path);
  target.properties.set(copy.name, copy);
};

/** Flags and date-times have more forms in requests than in responses. */
const requested = (program: Program, type: Type): Type => {
  if (type.kind === 'Union' && type.expression) {
    const types = [...type.variants.values()].map(variant => variant.type);
    const inputs = types.map(variant => inputType(program, variant));
    if (inputs.every((input, index) => input === types[index])) return type;
    const union: Union = $(program).union.create(inputs.map(input => $(program).unionVariant.create({ type: input })));
    return union;
  }
  return inputType(program, type);
};

const inputType = (program: Program, type: Type): Type => {
  if (type.kind === 'Enum' && type.name === 'Flag') return named(program, 'Staffing.FlagInput');
  if (type.kind === 'Scalar' && type.name === 'DateTime') return named(program, 'Staffing.DateTimeInput');
  return type.kind === 'Model' ? inputModel(program, type) : type;
};

/** The model or list with flags, however deep, in all the forms that requests have of them; itself where there is none. */
const inputModel = (program: Program, model: Model): Model => {
  if (model.name === 'Array') {
    const item = model.indexer?.value as Type;
    const input = inputMember(program, item);
    return input === item ? model : $(program).array.create(input);
  }
  const made = program.stateMap(Symbol.for('staffing.input')) as Map<Model, Model>;
  const known = made.get(model);
  if (known) return known;
  // A model that holds itself ends here.
  made.set(model, model);
  const properties = [...model.properties.values()];
  if (properties.every(({ type }) => inputMember(program, type) === type)) return model;
  const input = $(program).model.create({ name: `${model.name}Input`, properties: {} });
  if (model.indexer) input.indexer = model.indexer;
  for (const property of properties) {
    const type = inputMember(program, property.type);
    input.properties.set(
      property.name,
      program.checker.cloneType(property, { type, model: input, sourceProperty: property }),
    );
  }
  for (const [key, value] of getExtensions(program, model)) setExtension(program, input, key, value);
  setExtension(program, input, 'description', getDoc(program, model) ?? '');
  made.set(model, input);
  return input;
};

/** Date-times within are stored as they come, so that they keep their one form. */
const inputMember = (program: Program, type: Type): Type => (type.kind === 'Scalar' ? type : requested(program, type));

const named = (program: Program, reference: string): Type => {
  const [type] = program.resolveTypeReference(reference);
  if (!type) throw new Error(`The conventions lack ${reference}`);
  return type;
};

const addRelations = (program: Program, target: Model, resource: Model): void => {
  for (const { name, short, related, many } of markOf(program, 'relations', resource) ?? []) {
    const record = shaped(program, related, 'answer');
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
  return many ? `the related records of ${resource}, ordered by id.` : `the related record of ${resource}, if any.`;
};

const seal = (program: Program, target: Model, resource: Model): void => {
  if (markOf(program, 'dynamicFields', resource)) {
    const description = 'A field that the tenant has defined, named after the id of its attribute.';
    setExtension(program, target, 'patternProperties', { '^dynamic_field_[1-9][0-9]*$': { description } });
  }
  setExtension(program, target, 'additionalProperties', false);
};

/** The resource's example, of which a response shows every field, a body those that it takes. */
const exampleOf = (program: Program, resource: Model, phase: Phase, given: string): Record<string, unknown> | null => {
  const [example] = getExamples(program, resource);
  if (!example) return null;
  const values = serializeValueAsJson(program, example.value, resource) as Record<string, unknown>;
  const names = fieldsOf(program, resource, phase).map(({ name }) => name);
  const shown = phase === 'Read' ? names : names.filter(name => name in values && name !== given);
  return Object.fromEntries(shown.map(name => [name, values[name] ?? null]));
};
