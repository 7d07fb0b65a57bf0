import {
  getFormat,
  getMaxLength,
  getMaxValue,
  getMinLength,
  getMinValue,
  getPattern,
  type Model,
  type ModelProperty,
  type Program,
  type Scalar,
  serializeValueAsJson,
  type Type,
} from '@typespec/compiler';
import { getExtensions } from '@typespec/openapi';
import type { OpenAPI3Document } from '@typespec/openapi3';
import { type Kind, kindOf } from '../../../spec/conventions/kinds.ts';
import { markOf } from '../../../spec/conventions/marks.ts';
import { isIn } from '../../../spec/conventions/schemas.ts';
import { externalNameOf } from '../../../spec/related.ts';
import { ownerOf, type Sources, sourcesOf } from '../../../spec/sources.ts';
import type { Field, FieldAccess } from '../../../src/core/resource/resource.ts';
import { SENDS } from './automation-extensions.ts';
import { int32, resolveSchema, type Schema } from './schema.ts';
import { sensitiveParts } from './sensitive-parts.ts';

/** Returns the description of a resource's field, without the members that do not apply. */
export const fieldOf = (program: Program, document: OpenAPI3Document, property: ModelProperty): Field => {
  const kind = kindOf(program, property.type);
  if (!kind) throw new Error(`${property.model?.name}.${property.name} has a type that can't be stored in a column.`);
  const { name } = property;
  const access = accessOf(program, property);
  const mark = <K extends 'references' | 'notBefore' | 'notAfter' | 'endsAfter' | 'wholeDays' | 'namesFieldsOf'>(
    key: K,
  ) => markOf(program, key, property);
  return defined<Field>({
    name,
    type: kind.type,
    access,
    computed: isComputed(program, property) || undefined,
    required:
      (access !== 'read' && access !== 'update' && !property.optional && property.defaultValue === undefined) ||
      undefined,
    nullable: kind.nullable || undefined,
    default: defaultOf(program, property),
    values: kind.values,
    ...(access === 'read' ? {} : constraintsOf(program, property, kind)),
    scale: kind.scale,
    lines: scalarsOf(kind.of)
      .map(type => markOf(program, 'lines', type))
      .find(lines => lines !== undefined),
    references: mark('references')?.resource,
    referencesBy: mark('references')?.by,
    memberReferences: access === 'read' ? undefined : memberReferences(program, property.type),
    judged: markOf(program, 'judged', property),
    guardsReading: markOf(program, 'guardsReading', property),
    byExternalId: externalNameOf(program, property),
    referencesOneOf: markOf(program, 'referencesOneOf', property),
    notBefore: mark('notBefore'),
    notAfter: mark('notAfter'),
    endsAfter: mark('endsAfter'),
    wholeDays: mark('wholeDays'),
    items: kind.items,
    sensitive: markOf(program, 'sensitive', originOf(program, property)),
    sensitiveParts: kind.type === 'json' ? sensitiveParts(document, property) : undefined,
    namesFieldsOf: mark('namesFieldsOf'),
    namesAttributes: markOf(program, 'namesAttributes', property),
    namesError: markOf(program, 'namesError', property),
    describesRecordsOf: describesRecordsOf(program, property),
    namesChange: markOf(program, 'namesChange', property),
    collection: markOf(program, 'chosenFrom', property),
    schema: kind.type === 'json' && access !== 'read' ? bodySchema(document, property) : undefined,
    attribute: markOf(program, 'predefined', property),
    sources: listed(sourcesOf(program, property)),
    derivedFrom: nonEmpty(sourcesOf(program, property).fields),
    owner: ownerOf(program, property),
    firstOf: markOf(program, 'firstOf', property),
    computedBy: markOf(program, 'computedBy', property),
  });
};

/** Returns the members of an object that refer to records, with their resources; undefined: none does. */
const memberReferences = (program: Program, type: Type): Field['memberReferences'] => {
  if (type.kind === 'Union')
    return [...type.variants.values()].map(variant => memberReferences(program, variant.type)).find(Boolean);
  const members = type.kind === 'Model' ? [...type.properties.values()] : [];
  const found = members.flatMap(member => {
    const reference = markOf(program, 'references', member);
    return reference ? [[member.name, reference.resource] as const] : [];
  });
  return found.length > 0 ? Object.fromEntries(found) : undefined;
};

/** Returns all sources; undefined if there are none. */
const listed = ({ derived, inherited }: Sources): readonly string[] | undefined =>
  derived.length + inherited.length > 0 ? [...new Set([...derived, ...inherited])].sort() : undefined;

const nonEmpty = (names: readonly string[]): readonly string[] | undefined => (names.length > 0 ? names : undefined);

/** Returns the field that a derived field is read from, or the field itself. */
const originOf = (program: Program, property: ModelProperty): ModelProperty => {
  const steps = markOf(program, 'derived', property)?.split('.') ?? [];
  const name = steps.pop();
  const model = steps.reduce<Model | undefined>(
    (at, step) => at && markOf(program, 'relations', at)?.find(({ short }) => short === step)?.related,
    property.model,
  );
  return (name !== undefined && model?.properties.get(name)) || property;
};

/** Returns what is sensitive in the field, with the resources that the values of its type name. */
const describesRecordsOf = (program: Program, property: ModelProperty): Field['describesRecordsOf'] => {
  const mark = markOf(program, 'describesRecordsOf', property);
  const type = mark && property.model?.properties.get(mark.type)?.type;
  if (!mark || type?.kind !== 'Enum') return undefined;
  return {
    ...mark,
    sent: getExtensions(program, type).get(SENDS) as NonNullable<Field['describesRecordsOf']>['sent'],
  };
};

/** Whether the field can't be set by a body and is ignored in updates. */
const isComputed = (program: Program, property: ModelProperty): boolean =>
  (['derived', 'computed', 'serverKept'] as const).some(mark => markOf(program, mark, property) !== undefined);

const accessOf = (program: Program, property: ModelProperty): FieldAccess => {
  const [creates, updates] = [isIn(program, property, 'Create'), isIn(program, property, 'Update')];
  if (updates) return creates ? 'write' : 'update';
  return creates ? 'create' : 'read';
};

const defaultOf = (program: Program, { defaultValue, type }: ModelProperty): Field['default'] =>
  defaultValue && (serializeValueAsJson(program, defaultValue, type) as Field['default']);

const constraintsOf = (program: Program, property: ModelProperty, { of, column, values }: Kind): Partial<Field> => {
  const find = <T>(read: (program: Program, target: Type) => T | undefined): T | undefined => {
    for (const type of [property, ...scalarsOf(of)]) {
      const found = read(program, type);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const bounds = column === 'integer' && !values ? int32 : undefined;
  return {
    minimum: find(getMinValue) ?? bounds?.minimum,
    maximum: find(getMaxValue) ?? bounds?.maximum,
    minLength: find(getMinLength),
    maxLength: find(getMaxLength),
    lines: scalarsOf(of)
      .map(type => markOf(program, 'lines', type))
      .find(lines => lines !== undefined),
    pattern: find((program, type) => (isLines(program, type) ? undefined : getPattern(program, type))),
    format: find(getFormat),
  } as Partial<Field>;
};

/** Whether the scalar's own pattern only excludes the characters that `lines` excludes. */
const isLines = (program: Program, type: Type): boolean =>
  type.kind === 'Scalar' && markOf(program, 'lines', type) !== undefined;

/** Returns the scalar and the scalars that it extends. */
const scalarsOf = (type: Type): readonly Scalar[] =>
  type.kind === 'Scalar' ? [type, ...(type.baseScalar ? scalarsOf(type.baseScalar) : [])] : [];

const bodySchema = (document: OpenAPI3Document, { name, model }: ModelProperty): Schema | undefined => {
  const schemas = document.components?.schemas as Record<string, { properties?: Record<string, Schema> }> | undefined;
  const schema =
    schemas?.[`${model?.name}Create`]?.properties?.[name] ?? schemas?.[`${model?.name}Update`]?.properties?.[name];
  return schema && withoutNumberFormats(resolveSchema(document, schema));
};

/** Removes number formats such as int32, which add nothing to the type and its bounds. */
const withoutNumberFormats = (schema: Schema): Schema =>
  JSON.parse(JSON.stringify(schema, (key, value) => (key === 'format' && /^int\d/.test(value) ? undefined : value)));

const defined = <T>(value: { readonly [K in keyof T]: T[K] | undefined }): T =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;
