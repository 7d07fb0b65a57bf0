import { camel } from '../../../spec/words.ts';
import type { Facts } from '../spec/facts.ts';
import { header, key } from './print.ts';

/** Returns generated/rules.ts: the rules of each resource with `@rules`, by resource name. */
export const emitRules = ({ resources }: Facts, source: string): string => {
  const names = resources.filter(({ ruled }) => ruled).map(({ name }) => name);
  const imports = names.map(name => `import { ${camel(name)} } from '${source}/resources/${name}/rules.ts';\n`);
  const entries = names.map(name => (camel(name) === name ? `  ${name},\n` : `  ${key(name)}: ${camel(name)},\n`));
  return `${header}import type { Rules } from '${source}/engine/rules.ts';
${imports.join('')}
export const rules = {
${entries.join('')}} satisfies Record<string, Rules>;
`;
};
