import { root } from '../../core/root.ts';
import type { Match, Params } from './match.ts';
import type { Operation } from './operation.ts';

/** Returns the headers of a deprecated operation (RFC 9745, RFC 5829); none for others. */
export const deprecationHeaders = ({ operation, params }: Match): Readonly<Record<string, string>> => {
  if (!operation.deprecated) return {};
  const { deprecatedSince: since, successor } = operation;
  return {
    deprecation: `@${Math.floor(Date.parse(since ?? '') / 1000)}`,
    ...(successor !== undefined && { link: `<${root}${fillIn(successor, params)}>; rel="successor-version"` }),
  };
};

/** Checks that a deprecated operation has the date that the header needs. @throws Error if it has none */
export const checkDeprecation = ({ operationId, deprecated, deprecatedSince: since }: Operation): void => {
  if (deprecated && Number.isNaN(Date.parse(since ?? '')))
    throw new Error(`${operationId} is deprecated: its traits must have the date since when.`);
};

const fillIn = (path: string, params: Params): string =>
  path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(String(params[name] ?? '')));
