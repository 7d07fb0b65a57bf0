import { camel } from '../../../spec/words.ts';
import type { Facts, StatusSet } from '../spec/facts.ts';
import { header, print } from './print.ts';

/** Returns generated/status-sets.ts: the named sets of statuses, named like the database functions. */
export const emitStatusSets = ({ statusSets }: Facts): string =>
  `${header}\n${statusSets.map(constantOf).join('\n')}${statusSets.length === 0 ? 'export {};\n' : ''}`;

const constantOf = ({ of, name, summary, values }: StatusSet): string =>
  `/** Statuses (${of}): ${summary} */\nexport const ${camel(`${of}-${name}`)} = ${print(values)} as const;\n`;

/** Returns generated/status-sets.sql: a function for each set, which Postgres inlines. */
export const emitStatusSetsSql = ({ statusSets }: Facts): string =>
  `${header.replace('//', '--')}\n${statusSets.map(functionOf).join('\n')}`;

const functionOf = ({ of, name, summary, values }: StatusSet): string =>
  `-- Statuses (${of}): ${summary}
create function ${of.replaceAll('-', '_')}_${name}(status integer) returns boolean
  language sql immutable parallel safe return status in (${values.join(', ')});
`;
