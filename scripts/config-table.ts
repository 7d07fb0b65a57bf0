import { writeFileSync } from 'node:fs';
import type { Variable } from '../src/server/config/variable.ts';
import { variables } from '../src/server/config/variables.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|');

const row = ({ name, description, default: preset, example, secret }: Variable): string => {
  const names = secret ? `\`${name}\`, \`${name}_FILE\`` : `\`${name}\``;
  return `| ${names} | ${cell(description)} | ${preset === undefined ? '' : `\`${preset}\``} | \`${cell(example)}\` |`;
};

/** Returns docs/configuration.md, with a row for each variable. */
export const configurationPage = (): string => `# Configuration

<!-- Written by \`npm run config-table\`. -->

The server is configured with environment variables, which it validates together at the start. A variable with a \`_FILE\` variant can be read
from a file. \`npm run --silent staffing -- config print\` shows the values in use, without secrets. \`npm run --silent staffing -- doctor\` examines
whether the service can run with them.

| Variable | Meaning | Default | Example |
|---|---|---|---|
${variables.map(row).join('\n')}
`;

if (import.meta.main) writeFileSync(new URL('../docs/configuration.md', import.meta.url), configurationPage());
