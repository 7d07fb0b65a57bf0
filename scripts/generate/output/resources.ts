import type { Facts } from '../spec/facts.ts';
import { header, key, print } from './print.ts';

/** Returns generated/resources.ts: the descriptions of all resources for the engine. */
export const emitResources = ({ resources }: Facts, source: string): string => {
  const entries = resources.map(resource => `  ${key(resource.name)}: ${print(resource, 2)},\n`);
  return `${header}import type { Resource } from '${source}/core/resource/resource.ts';

export const resources = {
${entries.join('')}} satisfies Record<string, Resource> as { readonly [Name in ResourceName]: Resource<Name> };

export type ResourceName =
${resources.map(({ name }) => `  | '${name}'`).join('\n')};
`;
};
