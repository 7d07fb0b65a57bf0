import type { Program } from '@typespec/compiler';
import { markOf } from '../../../spec/conventions/marks.ts';
import { namespaceOf } from '../spec/program.ts';
import { reportDiagnostic } from './diagnostics.ts';

/** Reports invalid status sets: duplicate or invalid names, no members, foreign members. */
export const checkStatusSets = (program: Program): void => {
  for (const target of namespaceOf(program).enums.values()) {
    const names = new Set<string>();
    for (const { name, members } of markOf(program, 'statusSets', target) ?? []) {
      if (names.has(name))
        reportDiagnostic(program, { code: 'taken-name', target, format: { name, other: 'another set' } });
      names.add(name);
      if (!/^[a-z][a-z0-9]*$/.test(name)) reportDiagnostic(program, { code: 'invalid-name', target, format: { name } });
      if (members.length === 0) reportDiagnostic(program, { code: 'empty-status-set', target, format: { name } });
      for (const member of members) {
        if (member.enum !== target)
          reportDiagnostic(program, {
            code: 'foreign-status',
            target,
            format: { member: member.name, enum: target.name },
          });
      }
    }
  }
};
