import type { ModelProperty } from '@typespec/compiler';
import type { OpenAPI3Document } from '@typespec/openapi3';
import { countsKeyword, keyKeyword } from '../../../src/core/resource/mask.ts';
import { resolveSchema, type Schema } from './schema.ts';

/** Returns the sensitive parts of a value's schema; undefined: there are none. */
export const sensitiveParts = (document: OpenAPI3Document, { name, model }: ModelProperty): Schema | undefined => {
  const schemas = document.components?.schemas as Record<string, { properties?: Record<string, Schema> }> | undefined;
  const schema = schemas?.[model?.name ?? '']?.properties?.[name];
  return schema && partsOf(resolveSchema(document, schema));
};

const partsOf = (schema: Schema): Schema | undefined => {
  const {
    properties = {},
    items,
    anyOf = [],
  } = schema as {
    readonly properties?: Readonly<Record<string, Schema>>;
    readonly items?: Schema;
    readonly anyOf?: readonly Schema[];
  };
  const members = Object.entries(properties).flatMap(([name, member]) => {
    const marks = Object.entries(member).filter(([key]) => /^x-(sensitive|counts|key)/.test(key));
    const found = { ...Object.fromEntries(marks), ...partsOf(member) };
    return Object.keys(found).length > 0 ? [[name, found] as const] : [];
  });
  const parts = {
    ...(members.some(([, marks]) => !(countsKeyword in marks || keyKeyword in marks)) && {
      properties: Object.fromEntries(members),
    }),
    ...(items && partsOf(items) && { items: partsOf(items) }),
  };
  return [parts, ...anyOf.map(partsOf)].find(part => part && Object.keys(part).length > 0);
};
