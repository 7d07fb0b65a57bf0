import type { Model, Program } from '@typespec/compiler';
import { kindOf } from '../../../spec/conventions/kinds.ts';
import { keyOf, markOf } from '../../../spec/conventions/marks.ts';
import { isIn } from '../../../spec/conventions/schemas.ts';
import { resourceModels } from '../spec/models.ts';
import { reportDiagnostic } from './diagnostics.ts';

/** Reports resources with an invalid or duplicate name or `@inactiveWhen`, or without a read-only key. */
export const checkResources = (program: Program): void => {
  const names = new Map<string, Model>();
  for (const model of resourceModels(program)) {
    const name = markOf(program, 'resource', model) as string;
    const other = names.get(name);
    if (other) reportDiagnostic(program, { code: 'taken-name', target: model, format: { name, other: other.name } });
    names.set(name, model);
    if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
      reportDiagnostic(program, { code: 'invalid-name', target: model, format: { name } });
    if (!model.properties.has(keyOf(program, model)))
      reportDiagnostic(program, { code: 'no-id', target: model, format: { model: model.name } });
    const id = model.properties.get('id');
    if (id && (isIn(program, id, 'Create') || isIn(program, id, 'Update')))
      reportDiagnostic(program, { code: 'writable-id', target: id, format: { model: model.name } });
    checkInactive(program, model);
  }
};

const checkInactive = (program: Program, model: Model): void => {
  const inactive = markOf(program, 'inactiveWhen', model);
  if (!inactive) {
    if (markOf(program, 'keepsDeleted', model))
      reportDiagnostic(program, { code: 'never-inactive', target: model, format: { model: model.name } });
    return;
  }
  const { field, value } = inactive;
  const property = model.properties.get(field);
  if (!property) {
    reportDiagnostic(program, { code: 'unknown-field', target: model, format: { model: model.name, field } });
    return;
  }
  const kind = kindOf(program, property.type);
  const possible =
    kind?.type === 'flag' ? typeof value === 'boolean' : (kind?.values?.includes(value as number) ?? true);
  if (!possible)
    reportDiagnostic(program, { code: 'unknown-value', target: model, format: { field, value: String(value) } });
};
