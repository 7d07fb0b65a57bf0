import { presets } from '../../../generated/work-rules.ts';
import { type Action, ok } from '../../engine/action.ts';
import { presetRules } from './presets.ts';

/** GET /work-rules/presets: returns the presets with their rules. */
export const listPresets: Action<'workRules_listPresets'> = async () =>
  ok(
    Object.entries(presets).map(([name, { checked_on }]) => {
      const preset = name as keyof typeof presets;
      return { preset, checked_on, rules: presetRules(preset) };
    }),
  );
