import { getDoc, type Program } from '@typespec/compiler';
import { namespaceOf } from './program.ts';

/** A response format. */
export interface DeclaredFormat {
  /** The path extension that selects it; also the name of its encoder. */
  readonly name: string;
  readonly mediaType: string;
  readonly description: string;
  readonly listingsOnly: boolean;
}

/** Returns the response formats; those that only listings have come last. */
export const formatsOf = (program: Program): readonly DeclaredFormat[] =>
  ['Formats', 'ListingFormats'].flatMap(name =>
    [...(namespaceOf(program).enums.get(name)?.members.values() ?? [])].map(member => ({
      name: member.name,
      mediaType: String(member.value),
      description: getDoc(program, member) ?? '',
      listingsOnly: name === 'ListingFormats',
    })),
  );
