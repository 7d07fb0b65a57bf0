import type { Facts } from '../spec/facts.ts';
import { resolveSchemas, type Schema } from '../spec/schema.ts';
import { presetsOf } from './presets.ts';
import { header, print } from './print.ts';

interface Extended {
  readonly 'x-parameters'?: Readonly<Record<string, Schema>>;
}

/** Returns generated/work-rules.ts: schemas of the parameters of working-time rules, and presets. */
export const emitWorkRules = ({ document }: Facts): string => {
  const { schemas = {} } = document.components ?? {};
  const { WorkRuleKind: kinds } = schemas as Partial<Record<string, Extended>>;
  if (!kinds?.['x-parameters']) return `${header}\nexport {};\n`;
  return `${header}
/** The JSON Schema of the parameters of each kind of working-time rule. */
export const parameters = ${print(resolveSchemas(document, kinds['x-parameters']), 0, 26)} as const;

/** The rules that follow from laws, by preset. */
export const presets = ${print(presetsOf('WorkRulePreset', document) ?? {}, 0, 23)} as const;
`;
};
