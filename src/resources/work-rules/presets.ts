import type { components } from '../../../generated/api.ts';
import { presets } from '../../../generated/work-rules.ts';

type PresetRule = components['schemas']['PresetRule'];

/** Returns the rules of a preset, each by the name that a rule made of it keeps. */
export const presetRules = (preset: keyof typeof presets): PresetRule[] =>
  presets[preset].rules.map(({ key, ...rule }) => ({
    ...(rule as Omit<PresetRule, 'preset'>),
    preset: `${preset}.${key}`,
  }));
