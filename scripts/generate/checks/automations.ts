import type { EnumMember, Program } from '@typespec/compiler';
import { getExtensions } from '@typespec/openapi';
import { markOf } from '../../../spec/conventions/marks.ts';
import { CHANGES, SENDS } from '../spec/automation-extensions.ts';
import { resourceModels } from '../spec/models.ts';
import { namespaceOf } from '../spec/program.ts';
import { reportDiagnostic } from './diagnostics.ts';

interface SentRecord {
  readonly resource?: string;
  readonly member?: string;
}

/** Reports triggers without `x-sends` and routines without `x-changes`. */
export const checkAutomations = (program: Program): void => {
  const known = new Set(resourceModels(program).map(model => markOf(program, 'resource', model)));
  const check = (target: EnumMember, names: readonly string[] | undefined, extension: string): void => {
    if (!names) reportDiagnostic(program, { code: 'no-resources', target, format: { name: target.name, extension } });
    for (const name of names ?? [])
      if (!known.has(name)) reportDiagnostic(program, { code: 'unknown-resource', target, format: { name } });
  };
  for (const [member, sent] of declared<SentRecord>(program, 'TriggerType', SENDS))
    check(member, sent && (sent.member ? [] : [String(sent.resource)]), SENDS);
  for (const [member, changed] of declared<readonly string[]>(program, 'RoutineType', CHANGES))
    check(member, changed, CHANGES);
};

/** Returns the members of an enumeration with what its extension declares for each. */
const declared = <T>(program: Program, name: string, extension: `x-${string}`) => {
  const found = namespaceOf(program).enums.get(name);
  if (!found) return [];
  const values = (getExtensions(program, found).get(extension) ?? {}) as Readonly<Record<string, T>>;
  return [...found.members.values()].map(member => [member, values[member.name]] as const);
};
