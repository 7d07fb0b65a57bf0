import { getDoc, type Program } from '@typespec/compiler';
import { markOf } from '../../spec/conventions/marks.ts';
import { namespaceOf } from './program.ts';

/** A code of the error catalogue. */
export interface Code {
  readonly name: string;
  readonly message: string;
  readonly description: string;
  /** The HTTP status; null for a field error code. */
  readonly status: number | null;
}

/** Returns the error catalogue in the order of the spec. */
export const codesOf = (program: Program): readonly Code[] => {
  const { enums } = namespaceOf(program);
  const members = ['ErrorCode', 'FieldErrorCode'].flatMap(name => [...(enums.get(name)?.members.values() ?? [])]);
  return members.map(member => {
    const problem = markOf(program, 'problem', member);
    const message = (problem ?? markOf(program, 'fieldProblem', member))?.message ?? '';
    return { name: member.name, message, description: getDoc(program, member) ?? '', status: problem?.status ?? null };
  });
};
