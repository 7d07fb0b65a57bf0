import type { DiagnosticTarget, Model, ModelProperty, Program } from '@typespec/compiler';
import { kindOf } from '../../spec/conventions/kinds.ts';
import { keyOf, markOf } from '../../spec/conventions/marks.ts';
import { nestedModels, resourceModels, servedInterfaces } from './facts.ts';

type Report = (code: string, message: string, target: DiagnosticTarget) => void;

/** Reports whatever breaks the conventions of the spec as an error of the program. */
export const checkSpec = (program: Program): void => {
  const report: Report = (code, message, target) =>
    program.reportDiagnostic({ code, message, target, severity: 'error' });
  const models = resourceModels(program);
  const byName = new Map(models.map(model => [markOf(program, 'resource', model) as string, model]));
  for (const model of models) {
    checkFields(program, model, byName, report);
    checkRelations(program, model, report);
    checkInactive(program, model, report);
  }
  checkInterfaces(program, report);
};

const parameters = [
  'fields',
  'sort',
  'embed',
  'limit',
  'cursor',
  'count',
  'envelope',
  'callback',
  'authorization_bearer',
];

const checkFields = (program: Program, model: Model, byName: ReadonlyMap<string, Model>, report: Report): void => {
  if (!model.properties.has(keyOf(program, model)))
    report('no-id', `${model.name} has neither a field id nor a key`, model);
  for (const property of model.properties.values()) {
    const { name } = property;
    if (!kindOf(program, property.type)) report('no-column', `No column can hold the type of ${name}`, property);
    if (parameters.includes(name)) report('reserved-name', `${name} is a parameter of every listing`, property);
    if (markOf(program, 'gathered', property) && kindOf(program, property.type)?.type !== 'json')
      report('gathered-scalar', `${name} is gathered, but no object or array`, property);
    const references = markOf(program, 'references', property);
    if (references && !byName.has(references))
      report('unknown-resource', `There is no resource ${references}`, property);
    const before = markOf(program, 'notBefore', property);
    if (before && !model.properties.has(before))
      report('unknown-field', `${model.name} has no field ${before}`, property);
    checkPath(program, model, property, report);
  }
};

/** A derived field's path: relations by their short names, each to one record, and then a field. */
const checkPath = (program: Program, model: Model, property: ModelProperty, report: Report): void => {
  const path = markOf(program, 'derived', property);
  if (path === undefined) return;
  const steps = path.split('.');
  const field = steps.pop() as string;
  let at = model;
  for (const step of steps) {
    const relation = markOf(program, 'relations', at)?.find(({ short, many }) => short === step && !many);
    if (!relation) {
      report('unknown-path', `${path}: ${at.name} has no relation ${step} to one record`, property);
      return;
    }
    at = relation.related;
  }
  if (!at.properties.has(field)) report('unknown-path', `${path}: ${at.name} has no field ${field}`, property);
};

const checkRelations = (program: Program, model: Model, report: Report): void => {
  const taken = new Map<string, string>();
  for (const { name, short, related, from, to } of markOf(program, 'relations', model) ?? []) {
    const at = `The relation ${name} of ${model.name}`;
    if (!markOf(program, 'resource', related))
      report('unknown-resource', `${at}: ${related.name} is no resource`, model);
    if (!model.properties.has(from)) report('unknown-field', `${at}: ${model.name} has no field ${from}`, model);
    if (!related.properties.has(to)) report('unknown-field', `${at}: ${related.name} has no field ${to}`, model);
    for (const key of new Set([name, short])) {
      if (model.properties.has(key)) report('taken-name', `${at}: ${key} is a field of ${model.name}`, model);
      const other = taken.get(key);
      if (other) report('taken-name', `${at}: ${key} is a name of the relation ${other}`, model);
      taken.set(key, name);
    }
  }
};

const checkInactive = (program: Program, model: Model, report: Report): void => {
  const inactive = markOf(program, 'inactiveWhen', model);
  if (inactive && !model.properties.has(inactive.field)) {
    report('unknown-field', `${model.name} has no field ${inactive.field}`, model);
  }
  if (!inactive && markOf(program, 'keepsDeleted', model)) {
    report('never-inactive', `${model.name} keeps deleted records, but does not say when a record is inactive`, model);
  }
};

/** An interface whose operations are another resource's would serve one record under the name of another. */
const checkInterfaces = (program: Program, report: Report): void => {
  const served = servedInterfaces(program);
  const nested = nestedModels(program);
  for (const model of resourceModels(program)) {
    if (!served.has(model) && !nested.has(model)) report('not-served', `No interface serves ${model.name}`, model);
  }
  for (const [model, { name, operations }] of served) {
    for (const operation of operations.values()) {
      const verbs = markOf(program, 'verb', operation)
        ? (operation.templateMapper?.args ?? operation.sourceOperation?.templateMapper?.args)
        : undefined;
      const [other] = verbs ?? [];
      if (other && other !== model && other.entityKind === 'Type' && other.kind === 'Model') {
        report(
          'other-resource',
          `${name} serves ${model.name}, but its ${operation.name} is that of ${other.name}`,
          operation,
        );
      }
    }
  }
};
