import type { Module } from './resource.ts';

export type { Module };

/** Every module that a tenant can have; the rest of the API is core. */
export const modules = [
  'availability',
  'automations',
  'billing',
  'checkins',
  'contracts',
  'payroll',
  'reports',
] as const satisfies readonly Module[];
