import type { Facts } from '../spec/facts.ts';
import { header, print } from './print.ts';

/** Returns generated/payroll-presets.ts: the formats of payroll files that programs read. */
export const emitPayrollPresets = ({ document }: Facts): string => {
  const { PayrollPreset: presets } = (document.components?.schemas ?? {}) as {
    readonly PayrollPreset?: { readonly 'x-presets'?: object };
  };
  if (!presets?.['x-presets']) return `${header}\nexport {};\n`;
  return `${header}
/** What is known of each format that a payroll program reads. */
export const presets = ${print(presets['x-presets'], 0, 23)} as const;
`;
};
