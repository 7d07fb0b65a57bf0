import type { Facts } from '../spec/facts.ts';

/** Returns the presets that the document gives an enumeration of their names; undefined: none. */
export const presetsOf = (name: string, { components }: Facts['document']): object | undefined => {
  const schemas = (components?.schemas ?? {}) as Readonly<Record<string, { readonly 'x-presets'?: object }>>;
  return schemas[name]?.['x-presets'];
};
