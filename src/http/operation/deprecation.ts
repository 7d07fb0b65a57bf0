import { root } from '../../core/root.ts';
import type { Match, Params } from './match.ts';
import type { Operation } from './operation.ts';

/** The headers that announce a deprecated operation (RFC 9745, RFC 5829); none for others. */
export const deprecationHeaders = ({ operation, params }: Match): Readonly<Record<string, string>> => {
  if (!operation.deprecated) return {};
  const { 'x-deprecated-since': since, 'x-successor': successor } = operation;
  return {
    Deprecation: `@${Math.floor(Date.parse(since ?? '') / 1000)}`,
    ...(successor !== undefined && { Link: `<${root}${fillIn(successor, params)}>; rel="successor-version"` }),
  };
};

/** @throws Error if a deprecated operation does not say since when: the header could not be made */
export const checkDeprecation = ({ operationId, deprecated, 'x-deprecated-since': since }: Operation): void => {
  if (deprecated && Number.isNaN(Date.parse(since ?? '')))
    throw new Error(`${operationId} is deprecated, but x-deprecated-since is no date.`);
};

const fillIn = (path: string, params: Params): string =>
  path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(String(params[name] ?? '')));
