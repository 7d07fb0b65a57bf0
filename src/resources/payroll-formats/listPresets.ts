import { presets } from '../../../generated/payroll-presets.ts';
import { type Action, ok } from '../../engine/action.ts';

/** GET /payroll-formats/presets: returns the presets, their sources and their doubts. */
export const listPresets: Action<'payrollFormats_listPresets'> = async () =>
  ok(
    Object.entries(presets).map(([name, { format: _, ...facts }]) => ({
      preset: name as keyof typeof presets,
      ...facts,
    })),
  );
