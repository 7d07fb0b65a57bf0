import type { Program } from '@typespec/compiler';
import type { OpenAPI3Document } from '@typespec/openapi3';
import { sourcesOf } from '../../../spec/sources.ts';
import { resourceModels } from '../facts.ts';

type Schemas = Readonly<Record<string, { readonly properties?: Record<string, object> }>>;

/**
 * Adds to the fields of records where their values come from: `x-derived-from`, the resources whose changes can change the value without
 * an entry of its record in the journal, and `x-inherits-from`, those whose changes of it are entries of the record.
 */
export const declareSources = (program: Program, document: OpenAPI3Document): OpenAPI3Document => {
  const schemas = document.components?.schemas as Schemas;
  for (const model of resourceModels(program))
    for (const [name, property] of model.properties) {
      const { derived, inherited } = sourcesOf(program, property);
      for (const schema of [schemas[model.name], schemas[`${model.name}WithRelations`]]) {
        const shown = schema?.properties?.[name];
        if (!shown) continue;
        if (derived.length > 0) Object.assign(shown, { 'x-derived-from': derived });
        else if (inherited.length > 0) Object.assign(shown, { 'x-inherits-from': inherited });
      }
    }
  return document;
};
