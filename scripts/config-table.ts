import type { Variable } from '../src/server/config/variable.ts';
import { variables } from '../src/server/config/variables.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|');

const row = ({ name, description, default: preset, example, secret }: Variable): string => {
  const names = secret ? `\`${name}\`, \`${name}_FILE\`` : `\`${name}\``;
  return `| ${names} | ${cell(description)} | ${preset === null ? '' : `\`${preset}\``} | \`${cell(example)}\` |`;
};

/** Returns the lines of the configuration table in the README, one for each variable. */
export const configTable = (): readonly string[] => [
  '| Variable | Meaning | Default | Example |',
  '|---|---|---|---|',
  ...variables.map(row),
];

if (import.meta.main) process.stdout.write(`${configTable().join('\n')}\n`);
