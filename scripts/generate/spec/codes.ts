import { getDoc, type Program } from '@typespec/compiler';
import { type Marks, markOf } from '../../../spec/conventions/marks.ts';
import { namespaceOf } from './program.ts';

/** A code of the error catalogue. */
export interface Code {
  readonly name: string;
  readonly message: string;
  readonly description: string;
  /** The HTTP status; null for a field error code. */
  readonly status: number | null;
  /** The code that a caller gets instead from whom the category is hidden. */
  readonly saidAs?: Marks['saidAs']['value'];
  /** The resource of which the message and the members contain data. */
  readonly tellsOf?: Marks['tellsOf']['value'];
}

/** Returns the error catalogue in the order of the spec. */
export const codesOf = (program: Program): readonly Code[] => {
  const { enums } = namespaceOf(program);
  const members = ['ErrorCode', 'FieldErrorCode'].flatMap(name => [...(enums.get(name)?.members.values() ?? [])]);
  return members.map(member => {
    const problem = markOf(program, 'problem', member);
    const message = (problem ?? markOf(program, 'fieldProblem', member))?.message ?? '';
    const [saidAs, tellsOf] = [markOf(program, 'saidAs', member), markOf(program, 'tellsOf', member)];
    return {
      name: member.name,
      message,
      description: getDoc(program, member) ?? '',
      status: problem?.status ?? null,
      ...(saidAs && { saidAs }),
      ...(tellsOf && { tellsOf }),
    };
  });
};

/** Returns the members of field errors that refer to records, with their resources. */
export const errorReferencesOf = (program: Program): Readonly<Record<string, string>> => {
  const members = [...(namespaceOf(program).models.get('FieldError')?.properties.values() ?? [])];
  return Object.fromEntries(
    members.flatMap(member => {
      const reference = markOf(program, 'references', member);
      return reference ? [[member.name, reference.resource]] : [];
    }),
  );
};
