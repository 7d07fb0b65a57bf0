import { sql } from 'kysely';
import type { Pool } from '../../connection.ts';
import { kyselyOn } from '../../kysely.ts';
import type { DatabaseSchema } from '../files.ts';
import { dropDefinitions, LOCK, migrate, migrationStatus } from '../migrate.ts';
import { SchemaError } from '../plan.ts';
import type { AnyKysely } from '../roles.ts';
import {
  type DistributionStep,
  FIRST,
  type ForeignKey,
  type FoundDistribution,
  lackingTexts,
  obstaclesOf,
  stepsOf,
} from './plan.ts';

/** How a database is distributed. */
export interface DistributionOptions {
  /** Changes nothing. */
  readonly dryRun: boolean;
  /** Called before each step. */
  readonly onStep: (what: string) => void;
}

/**
 * Distributes the tables of a migrated database over the nodes of its cluster, by `tenant_id`.
 * Each step is a transaction: a call after an interruption goes on where it stopped.
 * @throws SchemaError if something prevents it
 * @returns the number of steps
 */
export const distribute = async (
  pool: Pool,
  login: () => Promise<string | null>,
  schema: DatabaseSchema,
  { dryRun, onStep }: DistributionOptions,
): Promise<number> => {
  const db: AnyKysely = kyselyOn(pool);
  const pending = (await migrationStatus(pool, schema)).filter(({ applied }) => !applied);
  if (pending.length > 0) throw new SchemaError('Migrations are pending: run "staffing migrate" first.');
  const found = await find(db);
  const obstacles = obstaclesOf(found);
  if (obstacles.length > 0) throw new SchemaError(obstacles.join(' '));
  let steps = stepsOf(found);
  if (dryRun) for (const { what } of steps) onStep(what);
  let taken = 0;
  for (; !dryRun && steps[0]; taken++) {
    const [step] = steps;
    onStep(step.what);
    if (step.kind === 'make views') await migrate(pool, await login(), schema);
    else if (step.kind === 'alone') await send(step, db);
    else await db.transaction().execute(transaction => take(step, transaction));
    steps = stepsOf(await find(db));
    if (steps[0]?.what === step.what) throw new SchemaError(`This step has had no effect: ${step.what}`);
  }
  return taken + steps.length;
};

const take = async (step: DistributionStep, db: AnyKysely): Promise<void> => {
  await sql`select set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)`.execute(db);
  await sql`select set_config('citus.multi_shard_modify_mode', 'sequential', true)`.execute(db);
  await sql`select pg_advisory_xact_lock(${LOCK}::bigint)`.execute(db);
  return step.kind === 'drop views' ? dropDefinitions(db) : send(step, db);
};

const send = async (step: DistributionStep, db: AnyKysely): Promise<void> => {
  for (const text of step.texts) failures((await sql.raw<Partial<NodeResult>>(text).execute(db)).rows, step.what);
};

interface NodeResult {
  readonly node: string;
  readonly success: boolean;
  readonly result: string;
}

const failures = (rows: readonly Partial<NodeResult>[], what: string): void => {
  const failed = rows.find(({ success }) => success === false);
  if (failed) throw new SchemaError(`${what}: ${failed.node}: ${failed.result}`);
};

/** Returns what a distributed database lacks; empty: nothing. Null: it has no extension. */
export const missingOf = async (pool: Pool): Promise<readonly string[] | null> => {
  const found = await find(kyselyOn(pool));
  if (found.citus === null) return null;
  const [...obstacles] = obstaclesOf({ ...found, sessions: 0 });
  return obstacles.length > 0 ? obstacles : stepsOf(found).map(({ what }) => what);
};

const find = async (db: AnyKysely): Promise<FoundDistribution> => {
  const rows = async <Row>(text: string): Promise<readonly Row[]> => (await sql.raw<Row>(text).execute(db)).rows;
  const [own] = await rows<{ citus: string | null; sessions: number }>(
    `select (select extversion from pg_extension where extname = 'citus') as citus,
      (select count(*) from pg_stat_activity where datname = current_database() and application_name = 'staffing'
        and pid <> pg_backend_pid())::integer as sessions`,
  );
  const { citus = null, sessions = 0 } = own ?? {};
  if (citus === null) return { ...nothing, sessions };
  const [cluster] = await rows<{ coordinator: boolean; workers: number; views: boolean }>(
    `select coalesce((select groupid = 0 from pg_dist_local_group), false) as coordinator,
      (select count(*) from pg_dist_node where isactive and shouldhaveshards and noderole = 'primary')::integer as workers,
      exists (select from schema_definitions) as views`,
  );
  const { coordinator = false, workers = 0, views = false } = cluster ?? {};
  const [lacks] = await rows<{ lacking: string }>(lackingTexts.coordinator);
  const ofWorkers = workers > 0 ? await rows<NodeResult>(lackingTexts.workers) : [];
  return {
    citus,
    isCoordinator: coordinator,
    workers,
    sessions,
    views,
    lacking: [
      ...(lacks?.lacking ? [lacks.lacking] : []),
      ...ofWorkers.filter(({ result }) => result !== '').map(({ node, result }) => `${node} ${result}`),
    ],
    tables: await rows(foundTables),
    functions: (await rows<{ name: string }>(foundFunctions)).map(({ name }) => name),
    references: await rows<ForeignKey>(foundReferences),
    aside: await rows<ForeignKey>(`select "table", name, definition from references_set_aside order by 1, 2`),
  };
};

const nothing: FoundDistribution = {
  citus: null,
  isCoordinator: false,
  workers: 0,
  sessions: 0,
  views: false,
  lacking: [],
  functions: [],
  tables: [],
  references: [],
  aside: [],
};

/** The tables of tenants; the host names of all tenants are read before it is known which one calls. */
const tables = `select c.oid, c.relname as name, p.logicalrelid is not null as distributed
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
  left join pg_dist_partition p on p.logicalrelid = c.oid
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'tenant_hosts'`;

const foundTables = `select name, distributed from (${tables}) t order by name <> '${FIRST}', name`;

const foundReferences = `select t.name as "table", k.conname as name, pg_get_constraintdef(k.oid) as definition
  from pg_constraint k
  join (${tables}) t on t.oid = k.conrelid
  join (${tables}) o on o.oid = k.confrelid
  where k.contype = 'f' and not (t.distributed and o.distributed)
  order by 1, 2`;

/** Those that definitions make are dropped and made anew, which reaches the workers. */
const foundFunctions = `select f.oid::regprocedure::text as name from pg_proc f
  where f.pronamespace = current_schema()::regnamespace and f.prokind = 'f'
    and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = f.oid and d.deptype = 'e')
    and not exists (select from pg_dist_object o where o.classid = 'pg_proc'::regclass and o.objid = f.oid)
    and f.proname not in (
      select m[1] from schema_definitions, regexp_matches(removal, 'drop function if exists (\\w+)', 'g') m)
  order by 1`;
