import type { DeclaredFormat } from '../spec/formats.ts';
import { header } from './print.ts';

/** Returns generated/formats.ts, which imports the encoder of every format and checks its type. */
export const emitFormats = ({ formats }: { readonly formats: readonly DeclaredFormat[] }, source: string): string => {
  const folder = `${source}/http/response`;
  const imports = formats.map(({ name }) => `import { ${name} } from '${folder}/formats/${name}.ts';\n`);
  const members = (only: boolean): string => {
    const names = formats.filter(({ listingsOnly }) => listingsOnly === only).map(({ name }) => name);
    return names.length > 0 ? `{ ${names.join(', ')} }` : '{}';
  };
  return `${header}import type { ListingFormat, ResponseFormat } from '${folder}/formats.ts';
${imports.toSorted().join('')}
/** The formats of all responses, by the path extension that selects them. */
export const responseFormats = ${members(false)} satisfies Record<string, ResponseFormat>;

/** Additional formats of listings. */
export const listingFormats = ${members(true)} satisfies Record<string, ListingFormat>;
`;
};
