import { parsePlPgSQLSync, parseSync } from 'libpg-query';
import { nodeViolations } from './node-rules.ts';

/** Returns what a function or view has that is wrong if the tenant's data are on another server. */
export const definitionViolations = (text: string, language: string): readonly string[] => {
  const queries = language === 'plpgsql' ? queriesOf(parsePlPgSQLSync(text)) : [text];
  return queries.flatMap(query => (parseSync(query).stmts ?? []).flatMap(nodeViolations));
};

/** Returns the queries of a function in PL/pgSQL, its expressions as queries. */
const queriesOf = (node: unknown): readonly string[] => {
  if (typeof node !== 'object' || node === null) return [];
  const { query } = node as { query?: unknown };
  const below = Object.values(node).flatMap(queriesOf);
  if (typeof query !== 'string') return below;
  const isQuery = /^\s*(select|insert|update|delete|with)\b/i.test(query);
  return [isQuery ? query : `select ${query.replace(/^[\w.]+\s*:?=/, '')}`, ...below];
};
