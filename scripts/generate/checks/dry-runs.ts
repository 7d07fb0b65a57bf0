import { isTemplateDeclaration, type Operation, type Program } from '@typespec/compiler';
import { getHttpOperation, isQueryParam } from '@typespec/http';
import { markOf } from '../../../spec/conventions/marks.ts';
import { namespaceOf } from '../spec/program.ts';
import { reportDiagnostic } from './diagnostics.ts';

/** Reports writes without the query parameter of dry runs. Withdrawn ones do not need it. */
export const checkDryRuns = (program: Program): void => {
  for (const item of namespaceOf(program).interfaces.values()) {
    if (isTemplateDeclaration(item)) continue;
    for (const operation of item.operations.values()) {
      if (!isWrite(program, operation) || markOf(program, 'withdrawn', operation)) continue;
      const parameter = operation.parameters.properties.get('dry_run');
      if (!parameter || !isQueryParam(program, parameter))
        reportDiagnostic(program, { code: 'no-dry-run', target: operation, format: { operation: operation.name } });
    }
  }
};

/** Whether its method, which without a decorator depends on its body, is another one than GET. */
const isWrite = (program: Program, operation: Operation): boolean => {
  const [{ verb }] = getHttpOperation(program, operation);
  return verb !== 'get' && verb !== 'head';
};
