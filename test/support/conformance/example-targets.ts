import { type Parameter, type PathOperation, resolve } from './document.ts';

/** Returns the path and query of an operation with the document's examples of its required parameters. */
export const exampleTarget = (
  path: string,
  { parameters = [] }: PathOperation,
  more: readonly string[][] = [],
): string => {
  const values = (place: string) =>
    parameters
      .map(parameter => resolve<Parameter>(parameter))
      .flatMap(({ in: own, name, required, schema }) => {
        const example = required ? ((schema.examples as readonly unknown[] | undefined)?.[0] ?? null) : undefined;
        return own === place && example !== undefined ? [[name, String(example)]] : [];
      });
  const query = new URLSearchParams([...values('query'), ...more] as [string, string][]);
  const filled = values('path').reduce((text, [name = '', value = '']) => text.replace(`{${name}}`, value), path);
  return query.size > 0 ? `${filled}?${query}` : filled;
};

/** Whether an operation has the query parameter. */
export const hasQuery = ({ parameters = [] }: PathOperation, wanted: string): boolean =>
  parameters.some(parameter => {
    const { in: place, name } = resolve<Parameter>(parameter);
    return place === 'query' && name === wanted;
  });
