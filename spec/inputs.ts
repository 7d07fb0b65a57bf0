import {
  getDoc,
  type Model,
  type ModelProperty,
  type Program,
  serializeValueAsJson,
  type Type,
  type Union,
} from '@typespec/compiler';
import { $ } from '@typespec/compiler/typekit';
import { getExtensions, setExtension } from '@typespec/openapi';
import { markOf } from './conventions/marks.ts';

/**
 * Rejects additional members of an input's models at any depth, except where the spec allows them.
 * In the document, this is `additionalProperties: false`.
 */
export const sealInput = (program: Program, type: Type): void => {
  if (type.kind === 'Union') for (const variant of type.variants.values()) sealInput(program, variant.type);
  if (type.kind !== 'Model') return;
  if (type.indexer) sealInput(program, type.indexer.value);
  if (type.indexer || getExtensions(program, type).has('additionalProperties' as 'x-')) return;
  setExtension(program, type, 'additionalProperties', false);
  for (const property of type.properties.values()) sealInput(program, property.type);
};

/**
 * Adds a field's default value to its description.
 * With the keyword `default`, generated clients would require the field.
 */
export const describeDefault = (program: Program, field: ModelProperty): void => {
  if (field.defaultValue === undefined) return;
  const value = JSON.stringify(serializeValueAsJson(program, field.defaultValue, field.type));
  setExtension(program, field, 'description', `${getDoc(program, field) ?? ''} Default: \`${value}\`.`);
};

/** Returns the type in requests, where flags, date-times and selects have more forms than in responses. */
export const requested = (program: Program, type: Type, select = false): Type => {
  if (type.kind === 'Union' && type.expression) {
    const types = [...type.variants.values()].map(variant => variant.type);
    const inputs = types.map(variant => inputType(program, variant, select));
    if (inputs.every((input, index) => input === types[index])) return type;
    const union: Union = $(program).union.create(inputs.map(input => $(program).unionVariant.create({ type: input })));
    return union;
  }
  return inputType(program, type, select);
};

/** Whether the field is the id of a value of a collection, or a list of such ids. */
export const isSelect = (program: Program, property: ModelProperty): boolean =>
  markOf(program, 'chosenFrom', property) !== undefined || markOf(program, 'predefined', property)?.type === 'select';

const inputType = (program: Program, type: Type, select = false): Type => {
  if (select && type.kind === 'Scalar' && type.name === 'Id') return named(program, 'Staffing.ChoiceInput');
  if (type.kind === 'Enum' && type.name === 'Flag') return named(program, 'Staffing.FlagInput');
  if (type.kind === 'Scalar' && type.name === 'DateTime') return named(program, 'Staffing.DateTimeInput');
  return type.kind === 'Model' ? inputModel(program, type, select) : type;
};

/**
 * Returns the model or list with the request forms of all flags and no defaults at any depth.
 * The same object if it has none.
 */
const inputModel = (program: Program, model: Model, select: boolean): Model => {
  if (model.name === 'Array') {
    const item = model.indexer?.value as Type;
    const input = select ? inputType(program, item, select) : inputMember(program, item);
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

/**
 * Returns the type of a member in requests.
 * Nested date-times are stored as sent and therefore keep their single form.
 */
const inputMember = (program: Program, type: Type): Type => (type.kind === 'Scalar' ? type : requested(program, type));

const named = (program: Program, reference: string): Type => {
  const [type] = program.resolveTypeReference(reference);
  if (!type) throw new Error(`The spec's conventions lack ${reference}.`);
  return type;
};
