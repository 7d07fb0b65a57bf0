import type { Facts } from '../spec/facts.ts';
import { presetsOf } from './presets.ts';
import { header, print } from './print.ts';

/** Returns generated/payroll-presets.ts: the formats of payroll files that programs read. */
export const emitPayrollPresets = ({ document }: Facts): string => {
  const presets = presetsOf('PayrollPreset', document);
  if (!presets) return `${header}\nexport {};\n`;
  return `${header}
/** What is known of each format that a payroll program reads. */
export const presets = ${print(presets, 0, 23)} as const;
`;
};
