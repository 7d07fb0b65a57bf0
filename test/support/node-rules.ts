/** A node of libpg-query's syntax tree. */
type Tree = Readonly<Record<string, unknown>>;

/** Functions whose value is that of the moment, or of a setting: Citus plans none of them in CASE and COALESCE of a change. */
const present =
  /^(now|tenant_now|date_trunc|(transaction|statement|clock)_timestamp|current_setting|active_modules|present_clock)$/;
/** Functions that depend on settings: Citus plans none of them with a column in a change. */
const ofSettings = /^(concat(_ws)?|format|to_char|(row_)?to_jsonb?|jsonb?_build_(object|array)|age)$/;
/** Functions whose value is that of the server on which they run. */
const ofServer =
  /^(server_identity|pg_current_(xact_id|snapshot|wal).*|pg_control_\w+|pg_walfile_name|txid_\w+|pg_backend_pid|inet_server_\w+)$/;
/** Columns of every table that are of the server that stores it. */
const ofStorage: ReadonlySet<unknown> = new Set(['xmin', 'xmax', 'cmin', 'cmax', 'tableoid']);
/** Tables of all tenants together. */
export const sharedTables: ReadonlySet<unknown> = new Set([
  'administration_log',
  'administration_tokens',
  'references_set_aside',
  'schema_definitions',
  'schema_migrations',
  'tenant_hosts',
  'tenants',
]);
/** Functions that read the job queue or the tenants, and write neither: a test compares them with the catalogue. */
export const coordinatorReaders: readonly string[] = [
  'acting_user',
  'active_modules',
  'caller',
  'deliveries_without_job',
  'moving_clocks',
  'present_clock',
];
/** Functions that write the job queue or the tenants, which are on the coordinator: a test compares them with the catalogue. */
export const coordinatorWriters: readonly string[] = [
  'clear_tenant',
  'enqueue_deliveries',
  'enqueue_import',
  'enqueue_oldest_import',
  'follow_changes',
  'step_clock',
];

/** Functions that enter tenants, which reaches workers in a transaction only: a test compares them with the catalogue. */
export const tenantEntering: readonly string[] = [
  'caller',
  'journal_progress',
  'moving_clocks',
  'snapshots_hold',
  'step_clock',
];

const ofCoordinator: ReadonlySet<string> = new Set([...coordinatorReaders, ...coordinatorWriters]);

const changes = ['InsertStmt', 'UpdateStmt', 'DeleteStmt'] as const;

/** How the description of what only a worker gets wrong ends: a statement that it does not get may have it. */
export const besideRows = 'beside rows of a tenant';

const isTree = (node: unknown): node is Tree => typeof node === 'object' && node !== null;

/** The nodes below a statement or one of its nodes, by kind. */
class Nodes {
  readonly #found = new Map<string, Tree[]>();

  constructor(node: unknown) {
    this.#add(node);
  }

  /** The nodes of some kinds. */
  of(...kinds: readonly string[]): readonly Tree[] {
    return kinds.flatMap(kind => this.#found.get(kind) ?? []);
  }

  /** The names of the functions that are called. */
  calls(): readonly string[] {
    return this.of('FuncCall').map(nameOf);
  }

  #add(node: unknown): void {
    if (Array.isArray(node)) for (const each of node) this.#add(each);
    else if (isTree(node))
      for (const kind in node) {
        const value = node[kind];
        if (!isTree(value)) continue;
        const same = this.#found.get(kind);
        if (same) same.push(value);
        else this.#found.set(kind, [value]);
        this.#add(value);
      }
  }
}

const nameOf = (call: Tree): string =>
  (call.funcname as readonly { String: { sval: string } }[]).at(-1)?.String.sval ?? '';

const tableOf = ({ schemaname, relname }: Tree): string =>
  schemaname && schemaname !== 'pg_catalog' ? `${schemaname}.${relname}` : String(relname);

/** Settings of a transaction that each node has: it is entered with SET LOCAL (src/db/enter.ts). */
const everywhere: ReadonlySet<string> = new Set(['app.tenant_id', 'app.clock_ahead']);

/** Returns the setting of the service that a call reads, and that one node only has. */
const ownSetting = (call: Tree): string | undefined => {
  if (nameOf(call) !== 'current_setting') return undefined;
  const [first] = (call.args ?? []) as readonly Tree[];
  const name = ((first?.A_Const as Tree | undefined)?.sval as Tree | undefined)?.sval;
  return typeof name === 'string' && name.startsWith('app.') && !everywhere.has(name) ? name : undefined;
};

/** Returns what a statement has that differs between nodes, if a worker runs it: it has rows of a tenant. */
const nodeCalls = (nodes: Nodes): readonly string[] => {
  const names = new Set(nodes.of('CommonTableExpr').map(({ ctename }) => ctename));
  const tables = [...nodes.of('RangeVar'), ...nodes.of(...changes).map(({ relation }) => relation as Tree)];
  const isOfTenant = ({ schemaname = 'public', relname }: Tree) =>
    schemaname === 'public' && !names.has(relname) && !sharedTables.has(relname) && !/^pg_/.test(String(relname));
  if (!tables.some(isOfTenant)) return [];
  const settings = nodes.of('FuncCall').flatMap(call => ownSetting(call) ?? []);
  return [
    ...nodes
      .calls()
      .filter(name => ofCoordinator.has(name))
      .map(name => `${name}()`),
    ...settings.map(name => `the setting ${name}`),
  ];
};

/** Returns what a statement has that is not the same, or not planned, if the tenant's data are on another server. */
export const nodeViolations = (statement: unknown): readonly string[] => {
  const found: string[] = [];
  const nodes = new Nodes(statement);
  for (const change of nodes.of(...changes))
    for (const branch of new Nodes(change).of('CaseExpr', 'CoalesceExpr')) {
      const below = new Nodes(branch);
      const names = below.calls().filter(name => present.test(name));
      if (names.length > 0 || below.of('SQLValueFunction').length > 0)
        found.push(`${names[0] ?? 'the present time'} in CASE or COALESCE of a change`);
    }
  for (const change of nodes.of('UpdateStmt', 'DeleteStmt'))
    for (const call of new Nodes(change).of('FuncCall'))
      if (ofSettings.test(nameOf(call)) && new Nodes(call.args).of('ColumnRef').length > 0)
        found.push(`${nameOf(call)}() of a column in a change`);
  if (nodes.calls().some(name => ofServer.test(name)))
    for (const query of nodes.of('SelectStmt', 'UpdateStmt', 'DeleteStmt')) {
      const { withClause: _, ...level } = query;
      if (!query.relation && !query.fromClause) continue;
      for (const name of new Nodes(level).calls()) if (ofServer.test(name)) found.push(`${name}() beside a table`);
    }
  for (const { fields } of nodes.of('ColumnRef')) {
    const name = ((fields as readonly Tree[]).at(-1)?.String as Tree | undefined)?.sval;
    if (ofStorage.has(name)) found.push(`the column ${name}`);
  }
  for (const what of nodeCalls(nodes)) found.push(`${what} ${besideRows}`);
  return [...new Set(found)];
};

/** The tables and functions by which a statement writes, or enters tenants. */
export interface Written {
  /** Tables of tenants. */
  readonly tenant: readonly string[];
  /** What is on the coordinator. */
  readonly coordinator: readonly string[];
  /** Functions that enter tenants. */
  readonly entering: readonly string[];
}

/** Returns what a statement writes and enters. @param isShared whether a table is not one of the tenants' */
export const writtenBy = (statement: unknown, isShared: (table: string) => boolean): Written => {
  const nodes = new Nodes(statement);
  const tables = nodes.of(...changes).map(({ relation }) => tableOf(relation as Tree));
  const calls = nodes.calls();
  const functions = calls.filter(name => coordinatorWriters.includes(name));
  return {
    tenant: tables.filter(name => !isShared(name)),
    coordinator: [...tables.filter(isShared), ...functions],
    entering: calls.filter(name => tenantEntering.includes(name)),
  };
};
