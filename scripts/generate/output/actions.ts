import type { Facts } from '../spec/facts.ts';
import { header } from './print.ts';

/**
 * Returns generated/actions.ts, which imports every action's handler and checks its types.
 * @param find returns the file of an action, relative to the sources
 */
export const emitActions = (
  { actions }: Facts,
  source: string,
  find: (resource: string, name: string) => string,
): string => {
  const imports = actions.map(
    ({ operationId, name, resource }) =>
      `import { ${name} as ${operationId} } from '${source}/${find(resource, name)}';\n`,
  );
  return `${header}import type { Actions } from '${source}/engine/action.ts';
${imports.join('')}
export const actions = {
${actions.map(({ operationId }) => `  ${operationId},\n`).join('')}} satisfies Actions;
`;
};
