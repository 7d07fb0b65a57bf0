import { TENANT_ROLE } from '../../enter.ts';
import { PLANNED_TENANT } from '../walls.ts';

/** What a database has of its distribution. */
export interface FoundDistribution {
  /** Version of the extension; null: it is not installed. */
  readonly citus: string | null;
  /** Whether the database is on the coordinator of its cluster. */
  readonly isCoordinator: boolean;
  /** Number of nodes that take rows of tables. */
  readonly workers: number;
  /** Other sessions of the service. */
  readonly sessions: number;
  readonly views: boolean;
  /** What nodes lack, with the node: see settings.ts. */
  readonly lacking: readonly string[];
  /** Functions of migrations that workers do not have. */
  readonly functions: readonly string[];
  /** Tables of tenants, the journal first. */
  readonly tables: readonly { readonly name: string; readonly distributed: boolean }[];
  /** Foreign keys that are in place, of which one table or both are not distributed. */
  readonly references: readonly ForeignKey[];
  /** Foreign keys that have been set aside. */
  readonly aside: readonly ForeignKey[];
}

/** A foreign key of a table. */
export interface ForeignKey {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

/** Something that is done as a whole, or can be done again. */
export interface DistributionStep {
  readonly what: string;
  /** What they are: statements of one transaction, or each by itself, or what `migrate` does. */
  readonly kind: 'transaction' | 'alone' | 'drop views' | 'make views';
  readonly texts: readonly string[];
}

/** The table with which all others are placed: a tenant's rows of all tables are on one node. */
export const FIRST = 'journal';

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Returns what prevents the distribution of a database, and what to do. */
export const obstaclesOf = ({ citus, isCoordinator, workers, sessions }: FoundDistribution): readonly string[] => {
  if (citus === null)
    return ['The database has no extension "citus": a superuser creates it, in this database on every node.'];
  return [
    ...(isCoordinator ? [] : ['This node is not the coordinator of its cluster: DATABASE_URL has to name it.']),
    ...(workers > 0 ? [] : ['The cluster has no worker: a superuser adds it on the coordinator, with citus_add_node.']),
    ...(sessions === 0 ? [] : [`${sessions} sessions of the service are open: stop all instances.`]),
  ];
};

/**
 * Returns the steps that distribute a database, from where it is now.
 * Each leaves a database from which the next call goes on. Foreign keys are set aside first, since Citus has none between a table that is
 * distributed and one that is not.
 */
export const stepsOf = (found: FoundDistribution): readonly DistributionStep[] => {
  const { views, lacking, functions, tables, references, aside } = found;
  const open = tables.filter(({ distributed }) => !distributed);
  const isDone = open.length + references.length + aside.length + functions.length === 0;
  return [
    ...(lacking.length > 0
      ? [{ what: `Prepare nodes: ${lacking.join('; ')}`, kind: 'alone' as const, texts: nodeTexts }]
      : []),
    ...(isDone || !views ? [] : [dropViews]),
    ...functions.map(name => ({
      what: `Distribute function ${name}`,
      kind: 'transaction' as const,
      texts: [`select create_distributed_function(${literal(name)})`],
    })),
    ...(references.length > 0 ? [setAside(references)] : []),
    ...open.map(({ name }) => ({
      what: `Distribute table ${name}`,
      kind: 'transaction' as const,
      texts: distributing(name),
    })),
    ...[...references, ...aside].map(putBack),
    ...(isDone && views ? [] : [makeViews]),
  ];
};

const dropViews: DistributionStep = { what: 'Drop views and functions', kind: 'drop views', texts: [] };
/** On every node, since the tables are distributed. */
const makeViews: DistributionStep = { what: 'Create views and functions', kind: 'make views', texts: [] };

const setAside = (references: readonly ForeignKey[]): DistributionStep => ({
  what: `Set aside ${references.length} foreign keys`,
  kind: 'transaction',
  texts: references.flatMap(({ table, name, definition }) => [
    `insert into references_set_aside values (${literal(table)}, ${literal(name)}, ${literal(definition)})`,
    `alter table ${quote(table)} drop constraint ${quote(name)}`,
  ]),
});

/**
 * Row security is off meanwhile: rows are copied in the role of the owner, which has no tenant.
 * Citus leaves the rows that it has copied on the coordinator, where nothing shows or changes them: they are removed.
 */
const distributing = (table: string): readonly string[] => [
  `alter table ${quote(table)} no force row level security, disable row level security`,
  `select create_distributed_table(${literal(quote(table))}, 'tenant_id'${
    table === FIRST ? '' : `, colocate_with => '${FIRST}'`
  })`,
  `select truncate_local_data_after_distributing_table(${literal(quote(table))})`,
  `alter table ${quote(table)} enable row level security, force row level security`,
];

const putBack = ({ table, name, definition }: ForeignKey): DistributionStep => ({
  what: `Add foreign key ${name} of ${table}`,
  kind: 'transaction',
  texts: [
    `alter table ${quote(table)} add constraint ${quote(name)} ${definition}`,
    `delete from references_set_aside where "table" = ${literal(table)} and name = ${literal(name)}`,
  ],
});

/** Settings of the database on workers, which `set_config` of a transaction does not reach. */
const settings = {
  TimeZone: 'UTC',
  DateStyle: 'ISO, YMD',
  random_page_cost: '1.1',
  cpu_operator_cost: '0.01',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
} as const;

/**
 * Settings of the database on the coordinator.
 * With the first one SET LOCAL reaches workers: row security and the clock rely on it. With the other one a plan is of one tenant.
 */
const ofCoordinator = { 'citus.propagate_set_commands': 'local', plan_cache_mode: 'force_custom_plan' } as const;

const onWorkers = (text: string): string =>
  `select nodename || ':' || nodeport as node, success, result from run_command_on_workers(${literal(text)})`;

/** The settings that the database lacks on a node, as a text. */
const lackingSettings = (wanted: Readonly<Record<string, string>>): string =>
  `(select string_agg('setting ' || name, ', ' order by name) from (values ${Object.entries(wanted)
    .map(([name, value]) => `(${literal(name)}, ${literal(value)})`)
    .join(', ')}) wanted (name, value)
  where not exists (select from pg_db_role_setting s, unnest(setconfig) c
    where s.setdatabase = (select oid from pg_database where datname = current_database()) and s.setrole = 0
      and lower(c) = lower(name || '=' || value)))`;

/** Policies that a node has from the coordinator: its plans of several tenants would be kept as one. */
const copiedPolicies = `pg_policy p join pg_class c on c.oid = p.polrelid
  where c.relnamespace = current_schema()::regnamespace and pg_get_expr(p.polqual, p.polrelid) like '%${PLANNED_TENANT}%'`;

/**
 * The coordinator opens connections to workers in the role of tenants, which therefore logs in there.
 * On the coordinator, too: Citus copies its role to the workers whenever a statement of another database needs it.
 */
const login = `alter role ${TENANT_ROLE} login;`;
const lackingLogin = `case when not exists (select from pg_roles where rolname = '${TENANT_ROLE}' and rolcanlogin)
  then 'login of the role ${TENANT_ROLE}' end`;

/** Reads what the coordinator and each worker lack, as a text; empty: nothing. */
export const lackingTexts = {
  coordinator: `select concat_ws(', ', ${lackingLogin}, ${lackingSettings(ofCoordinator)}) as lacking`,
  workers: onWorkers(`select concat_ws(', ',
    ${lackingLogin},
    ${lackingSettings(settings)},
    (select 'policy of ' || string_agg(relname, ', ') from ${copiedPolicies}))`),
};

/** On this node only: nodes that propagate such statements wait for each other. */
const here = (statements: string): string =>
  `do $do$ begin perform set_config('citus.enable_ddl_propagation', 'off', true); ${statements} end $do$`;

const setting = (wanted: Readonly<Record<string, string>>): string =>
  Object.entries(wanted)
    .map(
      ([name, value]) => `execute format('alter database %I set ${name} = %L', current_database(), ${literal(value)});`,
    )
    .join(' ');

const nodeTexts: readonly string[] = [
  here(`${login} ${setting(ofCoordinator)}`),
  onWorkers(
    here(`if not exists (select from pg_roles where rolname = '${TENANT_ROLE}') then create role ${TENANT_ROLE}; end if;
      ${login}`),
  ),
  onWorkers(here(setting(settings))),
  onWorkers(`do $do$ declare copied regclass; begin
    perform set_config('citus.enable_ddl_propagation', 'off', true), set_config('citus.enable_manual_changes_to_shards', 'on', true);
    for copied in select c.oid from ${copiedPolicies} loop
      execute format('alter policy tenant on %s using (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::bigint)', copied);
    end loop;
  end $do$`),
];
