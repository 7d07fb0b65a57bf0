import { STATUS_CODES } from 'node:http';
import type { Program } from '@typespec/compiler';
import { markOf } from '../../../spec/conventions/marks.ts';
import { namespaceOf } from '../spec/program.ts';
import { reportDiagnostic } from './diagnostics.ts';

/** Reports error codes without a valid status or a message. */
export const checkCodes = (program: Program): void => {
  const { enums } = namespaceOf(program);
  for (const member of enums.get('ErrorCode')?.members.values() ?? []) {
    const status = markOf(program, 'problem', member)?.status;
    if (status === undefined)
      reportDiagnostic(program, { code: 'no-status', target: member, format: { code: member.name } });
    else if (status < 400 || !STATUS_CODES[status])
      reportDiagnostic(program, { code: 'unknown-status', target: member, format: { status: String(status) } });
  }
  for (const member of enums.get('FieldErrorCode')?.members.values() ?? []) {
    if (!markOf(program, 'fieldProblem', member))
      reportDiagnostic(program, { code: 'no-message', target: member, format: { code: member.name } });
  }
};
