import type { Program, Type } from '@typespec/compiler';
import { getExtensions, setExtension } from '@typespec/openapi';

/** Rejects additional members (`additionalProperties: false`) of an input's models at any depth, except where the spec allows them. */
export const sealInput = (program: Program, type: Type): void => {
  if (type.kind === 'Union') for (const variant of type.variants.values()) sealInput(program, variant.type);
  if (type.kind !== 'Model') return;
  if (type.indexer) sealInput(program, type.indexer.value);
  if (type.indexer || getExtensions(program, type).has('additionalProperties' as 'x-')) return;
  setExtension(program, type, 'additionalProperties', false);
  for (const property of type.properties.values()) sealInput(program, property.type);
};
