import type { RawStatement } from '../connection.ts';
import { plain } from '../enter.ts';
import { toDatabaseError } from '../errors.ts';
import type { Session } from './session.ts';

/**
 * Returns a function that finds whether the tables of tenants are distributed (Citus).
 * Asked on the first connection: a database becomes a distributed one while no instance runs.
 */
export const distributionFinder = (isEmbedded: boolean): ((session: Session) => Promise<boolean>) => {
  let found: Promise<boolean> | null = isEmbedded ? Promise.resolve(false) : null;
  return session => {
    found ??= hasCitus(session).catch(error => {
      found = null;
      throw toDatabaseError(error);
    });
    return found;
  };
};

const hasCitus = async (session: Session): Promise<boolean> => {
  const { results, failure } = await session.send([
    plain("select exists (select from pg_extension where extname = 'citus')"),
  ]);
  if (failure) throw failure.error;
  return results[0]?.rows[0]?.[0] === 't';
};

/** Returns the statements as a distributed database needs them. */
export const distributed = (statements: readonly RawStatement[]): readonly RawStatement[] =>
  statements.map(statement => statement.distributed ?? statement);
