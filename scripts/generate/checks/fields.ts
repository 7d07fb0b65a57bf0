import type { Model, ModelProperty, Program } from '@typespec/compiler';
import { kindOf } from '../../../spec/conventions/kinds.ts';
import { markOf } from '../../../spec/conventions/marks.ts';
import { isIn } from '../../../spec/conventions/schemas.ts';
import { resourceIn } from '../../../spec/sources.ts';
import { resourceModels } from '../spec/models.ts';
import { reservedParameters } from '../spec/reserved-parameters.ts';
import { reportDiagnostic } from './diagnostics.ts';

/** Reports invalid fields: types without a column, reserved names, unknown references and paths. */
export const checkFields = (program: Program, model: Model): void => {
  const resources = new Map(resourceModels(program).map(other => [markOf(program, 'resource', other), other]));
  checkSources(program, model, markOf(program, 'derivedFrom', model), resources);
  checkSources(program, model, markOf(program, 'dynamicFields', model), resources);
  checkSources(program, model, markOf(program, 'needsScopesOf', model), resources);
  for (const field of Object.values(markOf(program, 'readOwn', model) ?? {}))
    if (!model.properties.has(field))
      reportDiagnostic(program, { code: 'unknown-field', target: model, format: { model: model.name, field } });
  const reserved = new Set(Object.values(reservedParameters(program)).flat());
  for (const property of model.properties.values()) {
    const { name } = property;
    const kind = kindOf(program, property.type);
    if (!kind) reportDiagnostic(program, { code: 'no-column', target: property, format: { field: name } });
    if (reserved.has(name) && !markOf(program, 'bracketed', property))
      reportDiagnostic(program, { code: 'reserved-name', target: property, format: { field: name } });
    checkReferences(program, model, property, resources);
    const isRequired = !property.optional && !property.defaultValue && isIn(program, property, 'Create');
    if (isRequired && markOf(program, 'sensitive', property))
      reportDiagnostic(program, { code: 'sensitive-required', target: property, format: { field: name } });
    checkOrder(program, model, property);
    checkParts(program, model, property);
    checkPath(program, model, property);
  }
};

const checkReferences = (
  program: Program,
  model: Model,
  property: ModelProperty,
  resources: ReadonlyMap<string | undefined, Model>,
): void => {
  const unknown = (target: Model, field: string): void =>
    reportDiagnostic(program, { code: 'unknown-field', target: property, format: { model: target.name, field } });
  const references = markOf(program, 'references', property);
  const oneOf = markOf(program, 'referencesOneOf', property);
  checkSources(program, property, markOf(program, 'derivedFrom', property), resources);
  const inherited = markOf(program, 'inheritsFrom', property) ?? [];
  for (const name of [references?.resource, ...Object.values(oneOf?.resources ?? {}), ...inherited]) {
    if (name === undefined) continue;
    if (!resources.has(name))
      reportDiagnostic(program, { code: 'unknown-resource', target: property, format: { name } });
  }
  const target = resources.get(references?.resource);
  if (target && references?.by && !target.properties.has(references.by)) unknown(target, references.by);
  if (oneOf && !model.properties.has(oneOf.field)) unknown(model, oneOf.field);
};

/** Reports unknown resources and fields in `@derivedFrom` and `@dynamicFields`. */
const checkSources = (
  program: Program,
  target: Model | ModelProperty,
  sources: string | readonly string[] | undefined,
  resources: ReadonlyMap<string | undefined, Model>,
): void => {
  for (const source of [sources ?? []].flat()) {
    const name = resourceIn(source);
    const model = resources.get(name);
    const field = source.slice(name.length + 1);
    if (!model) reportDiagnostic(program, { code: 'unknown-resource', target, format: { name } });
    else if (field !== '' && !model.properties.has(field))
      reportDiagnostic(program, { code: 'unknown-field', target, format: { model: model.name, field } });
  }
};

const checkOrder = (program: Program, model: Model, property: ModelProperty): void => {
  const names = [
    markOf(program, 'notBefore', property),
    markOf(program, 'notAfter', property),
    markOf(program, 'endsAfter', property),
    markOf(program, 'wholeDays', property)?.start,
  ];
  for (const field of names.filter(name => name !== undefined)) {
    const before = model.properties.get(field);
    if (before) checkComparable(program, property, before);
    else reportDiagnostic(program, { code: 'unknown-field', target: property, format: { model: model.name, field } });
  }
};

/** Reports unknown fields that a field has its value from, and those of another column type than it. */
const checkParts = (program: Program, model: Model, property: ModelProperty): void => {
  const firstOf = markOf(program, 'firstOf', property) ?? [];
  for (const field of [...firstOf, ...(markOf(program, 'computedBy', property)?.of ?? [])]) {
    const part = model.properties.get(field);
    if (!part)
      reportDiagnostic(program, { code: 'unknown-field', target: property, format: { model: model.name, field } });
    else if (firstOf.includes(field)) checkComparable(program, property, part);
  }
};

/** Reports two fields that are compared with each other but have different column types. */
export const checkComparable = (
  program: Program,
  property: ModelProperty,
  other: ModelProperty,
  target: Model | ModelProperty = property,
): void => {
  const [type, otherType] = [property, other].map(({ type }) => kindOf(program, type)?.column ?? 'no column');
  if (type === undefined || otherType === undefined || type === otherType) return;
  const format = { field: property.name, type, other: other.name, otherType };
  reportDiagnostic(program, { code: 'other-type', target, format });
};

/** Reports an invalid `@derived` or `@sameAs` path: relations to one record, followed by a field. */
const checkPath = (program: Program, model: Model, property: ModelProperty): void => {
  const path = markOf(program, 'derived', property) ?? markOf(program, 'sameAs', property);
  if (path === undefined) return;
  const steps = path.split('.');
  const field = steps.pop() as string;
  let at = model;
  const report = (step: string): void =>
    reportDiagnostic(program, { code: 'unknown-path', target: property, format: { path, model: at.name, step } });
  for (const step of steps) {
    const relation = markOf(program, 'relations', at)?.find(({ short, many }) => short === step && !many);
    if (!relation) {
      report(`relation ${step} to one record`);
      return;
    }
    at = relation.related;
  }
  if (!at.properties.has(field)) report(`field ${field}`);
};
