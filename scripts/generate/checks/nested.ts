import type { Interface, Model, Operation, Program } from '@typespec/compiler';
import { markOf, type NestedMark } from '../../../spec/conventions/marks.ts';
import { reportDiagnostic } from './diagnostics.ts';

/** Returns the template arguments of an operation; empty if it does not come from a template. */
export const templateArguments = (operation: Operation) =>
  operation.templateMapper?.args ?? operation.sourceOperation?.templateMapper?.args ?? [];

/**
 * Reports mistakes in an interface of nested records.
 * A parent or child that is not a resource, a field that does not refer to the parent, an invalid path segment, and operations
 * that are not complete verbs of the child.
 */
export const checkNested = (program: Program, target: Interface): void => {
  const mark = markOf(program, 'nested', target);
  if (!mark) return;
  const { parent, child, segment } = mark;
  for (const { name: model } of [parent, child].filter(model => !markOf(program, 'resource', model)))
    reportDiagnostic(program, { code: 'not-a-resource', target, format: { at: target.name, model } });
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(segment))
    reportDiagnostic(program, { code: 'invalid-segment', target, format: { segment } });
  checkField(program, target, mark);
  for (const operation of target.operations.values()) checkOperation(program, operation, target, mark);
};

const checkField = (program: Program, target: Interface, { parent, child, field }: NestedMark): void => {
  if (field === undefined) return;
  const property = child.properties.get(field);
  if (!property) {
    reportDiagnostic(program, { code: 'unknown-field', target, format: { model: child.name, field } });
    return;
  }
  const references = markOf(program, 'references', property)?.resource;
  const wanted = markOf(program, 'resource', parent);
  if (references === undefined || wanted === undefined || references === wanted) return;
  const format = { field: `${child.name}.${field}`, references, parent: wanted };
  reportDiagnostic(program, { code: 'other-parent', target, format });
};

const checkOperation = (program: Program, target: Operation, at: Interface, { child, field }: NestedMark): void => {
  const operation = `${at.name}.${target.name}`;
  const verb = markOf(program, 'verb', target);
  if (!verb) {
    reportDiagnostic(program, { code: 'no-verb', target, format: { operation } });
    return;
  }
  const given = templateArguments(target);
  const other = given.find(
    (item): item is Model =>
      item.entityKind === 'Type' && item.kind === 'Model' && Boolean(markOf(program, 'resource', item)),
  );
  if (other && other !== child) {
    const format = { interface: at.name, model: child.name, operation: target.name, other: other.name };
    reportDiagnostic(program, { code: 'other-resource', target: at, format });
  }
  const [, pathField] = given;
  const path =
    pathField?.entityKind === 'Indeterminate' && pathField.type.kind === 'String' ? pathField.type.value : field;
  if (verb === 'create' && field !== undefined && path !== undefined && path !== field)
    reportDiagnostic(program, { code: 'other-field', target: at, format: { field, operation, other: path } });
  const placed = [...target.parameters.properties.values()].some(property => markOf(program, 'recordId', property));
  if ((verb === 'read' || verb === 'delete') && !placed)
    reportDiagnostic(program, { code: 'no-record-id', target: at, format: { operation } });
};
