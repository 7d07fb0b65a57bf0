import type { Program } from '@typespec/compiler';
import type { OpenAPI3Document } from '@typespec/openapi3';
import { markOf } from '../../../spec/conventions/marks.ts';
import { resourceIn, sourcesOf } from '../../../spec/sources.ts';
import { resourceModels } from '../spec/models.ts';

interface Properties {
  readonly properties?: Readonly<Record<string, object>>;
  readonly patternProperties?: Readonly<Record<string, object>>;
}

/**
 * Adds to the fields of records where their values come from.
 * `x-derived-from`, the resources whose changes can change the value without an entry of its record in the journal, and
 * `x-inherits-from`, those whose changes of it are entries of the record.
 */
export const declareSources = (program: Program, document: OpenAPI3Document): OpenAPI3Document => {
  const schemas = document.components?.schemas as Readonly<Record<string, Properties>>;
  for (const model of resourceModels(program)) {
    const definedBy = markOf(program, 'dynamicFields', model);
    for (const schema of [model.name, `${model.name}WithRelations`, `Embedded${model.name}`].map(
      name => schemas[name],
    )) {
      for (const [name, property] of model.properties) {
        const { derived, inherited } = sourcesOf(program, property);
        const shown = schema?.properties?.[name];
        if (!shown) continue;
        if (derived.length > 0) Object.assign(shown, { 'x-derived-from': derived });
        else if (inherited.length > 0) Object.assign(shown, { 'x-inherits-from': inherited });
      }
      for (const shown of Object.values(schema?.patternProperties ?? {}))
        if (definedBy) Object.assign(shown, { 'x-derived-from': [resourceIn(definedBy)] });
    }
  }
  return document;
};
