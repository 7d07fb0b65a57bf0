import type { Interface, Model, Operation, Program } from '@typespec/compiler';
import { markOf, type NestedMark } from '../../spec/conventions/marks.ts';
import type { Report } from './checks.ts';

/** What an operation's template was given, if it was made of one. */
export const templateArguments = (operation: Operation) =>
  operation.templateMapper?.args ?? operation.sourceOperation?.templateMapper?.args ?? [];

/** An interface that serves records below others names resources, a field that leads from the one to the other, and whole operations. */
export const checkNested = (program: Program, target: Interface, report: Report): void => {
  const mark = markOf(program, 'nested', target);
  if (!mark) return;
  const { parent, child, segment } = mark;
  for (const model of [parent, child]) {
    if (!markOf(program, 'resource', model))
      report('unknown-resource', `${target.name}: ${model.name} is no resource`, target);
  }
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(segment))
    report('invalid-segment', `${target.name}: ${segment} is no part of a path`, target);
  checkField(program, target, mark, report);
  for (const operation of target.operations.values()) checkOperation(program, operation, target, mark, report);
};

const checkField = (
  program: Program,
  target: Interface,
  { parent, child, field }: NestedMark,
  report: Report,
): void => {
  const property = child.properties.get(field);
  if (!property) {
    report('unknown-field', `${target.name}: ${child.name} has no field ${field}`, target);
    return;
  }
  const references = markOf(program, 'references', property);
  const wanted = markOf(program, 'resource', parent);
  if (references !== undefined && wanted !== undefined && references !== wanted)
    report(
      'other-parent',
      `${target.name}: ${field} of ${child.name} refers to ${references}, not to ${wanted}`,
      target,
    );
};

const checkOperation = (
  program: Program,
  operation: Operation,
  target: Interface,
  { child, field }: NestedMark,
  report: Report,
): void => {
  const { name } = operation;
  const verb = markOf(program, 'verb', operation);
  if (!verb) {
    report('no-verb', `${target.name}: ${name} is none of the five operations`, operation);
    return;
  }
  const given = templateArguments(operation);
  const other = given.find(
    (item): item is Model =>
      item.entityKind === 'Type' && item.kind === 'Model' && Boolean(markOf(program, 'resource', item)),
  );
  if (other && other !== child)
    report(
      'other-resource',
      `${target.name} serves ${child.name}, but its ${name} is that of ${other.name}`,
      operation,
    );
  const [, told] = given;
  const path = told?.entityKind === 'Indeterminate' && told.type.kind === 'String' ? told.type.value : field;
  if (verb === 'create' && path !== field)
    report('other-field', `${target.name} is given ${field} by the path, but its ${name} ${path}`, operation);
  const placed = [...operation.parameters.properties.values()].some(property => markOf(program, 'recordId', property));
  if ((verb === 'read' || verb === 'delete') && !placed)
    report('no-record-id', `${target.name}: ${name} does not say where it has the id of its record`, operation);
};
