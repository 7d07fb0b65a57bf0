import { getDeprecationDetails, type Interface, type Model, type Operation, type Program } from '@typespec/compiler';
import { markOf } from '../../../spec/conventions/marks.ts';
import { nestedModels, resourceModels, servedInterfaces } from '../spec/models.ts';
import { reportDiagnostic } from './diagnostics.ts';
import { templateArguments } from './nested.ts';

/** Reports resources without interface, foreign operations, and deprecated operations without a date. */
export const checkInterfaces = (program: Program): void => {
  const interfacesOf = servedInterfaces(program);
  const nested = nestedModels(program);
  for (const model of resourceModels(program)) {
    if (!interfacesOf.has(model) && !nested.has(model))
      reportDiagnostic(program, { code: 'not-served', target: model, format: { model: model.name } });
  }
  for (const [model, interfaces] of interfacesOf) {
    const names = new Map<string, string>();
    for (const served of interfaces) {
      const { name, operations } = served;
      for (const operation of operations.values()) {
        const other = names.get(operation.name);
        if (other)
          reportDiagnostic(program, {
            code: 'taken-name',
            target: operation,
            format: { name: operation.name, other: `an operation of ${other}` },
          });
        names.set(operation.name, name);
        checkModel(program, operation, served, model);
        checkDeprecation(program, operation);
      }
    }
  }
};

/** Reports an operation of another resource, which would serve its records under the wrong path. */
const checkModel = (program: Program, operation: Operation, target: Interface, model: Model): void => {
  const [other] = markOf(program, 'verb', operation) ? templateArguments(operation) : [];
  if (!other || other === model || other.entityKind !== 'Type' || other.kind !== 'Model') return;
  const format = { interface: target.name, model: model.name, operation: operation.name, other: other.name };
  reportDiagnostic(program, { code: 'other-resource', target, format });
};

const checkDeprecation = (program: Program, operation: Operation): void => {
  const since = markOf(program, 'deprecatedSince', operation);
  if (since === undefined) {
    if (getDeprecationDetails(program, operation))
      reportDiagnostic(program, {
        code: 'no-deprecation-date',
        target: operation,
        format: { operation: operation.name },
      });
  } else if (!/^\d{4}-\d\d-\d\d$/.test(since) || Number.isNaN(Date.parse(since)))
    reportDiagnostic(program, { code: 'invalid-date', target: operation, format: { value: since } });
};
