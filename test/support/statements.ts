import { loadModule, type Node, parseSync } from 'libpg-query';
import { nodeViolations, sharedTables, type Written, writtenBy } from './node-rules.ts';

await loadModule();

/** The sender of a statement: a transaction in the tenants' role, the owner's transaction for a tenant, or the service itself. */
export type Sender = 'tenant' | 'owner' | 'system';

/** A node of libpg-query's syntax tree. */
type Tree = Readonly<Record<string, unknown>>;
type Queries = 'SelectStmt' | 'InsertStmt' | 'UpdateStmt' | 'DeleteStmt';

/** Functions that return rows computed from their arguments, without reading tables. */
const pure =
  /^(unnest|generate_series|aclexplode|jsonb?_(to_recordset|populate_recordset|array_elements(_text)?|each(_text)?))$/;
/** Functions that differ for each row: a distributed Postgres computes none of them in a change of existing rows. */
const volatile = /^(gen_random_uuid|random|clock_timestamp|nextval)$/;
/** Functions forbidden to tenants: their effects outlive the transaction, or they expose other sessions. */
const forbidden =
  /^(lo_\w+|loread|lowrite|pg_(try_)?advisory_(lock|unlock)\w*|pg_notify|pg_listening_channels|pg_stat_\w+|pg_(terminate|cancel)_backend|pg_(read|ls|stat)_\w+|dblink\w*|query_to_xml\w*)$/;
const queries: ReadonlySet<string> = new Set<Queries>(['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt']);
const allowed = new Set<string>([
  ...queries,
  ...['TransactionStmt', 'VariableSetStmt', 'DeclareCursorStmt', 'FetchStmt', 'ClosePortalStmt'],
]);

let last:
  | { readonly text: string; readonly statements: NonNullable<ReturnType<typeof parseSync>['stmts']> }
  | undefined;

/** Returns the syntax trees of a text, parsed once for all that is asked of it. */
const parsed = (text: string) => {
  if (last?.text !== text) last = { text, statements: parseSync(text).stmts ?? [] };
  return last.statements;
};

/**
 * Returns the parts of a statement that prevent a distributed Postgres from routing it to the node with the tenant's data, or that
 * reach beyond the tenant or the transaction.
 */
export const violationsOf = (text: string, sender: Sender): readonly string[] => {
  const found: string[] = [];
  for (const { stmt = {} } of parsed(text)) {
    const [kind = ''] = Object.keys(stmt);
    if (sender !== 'system') found.push(...kindViolations(kind, (stmt as Tree)[kind] as Tree, sender));
    if (sender !== 'system') found.push(...nodeViolations(stmt));
    if (queries.has(kind) || allowed.has(kind)) new Checker(sender, found).visit(stmt, new Set());
  }
  return found;
};

/** Returns what a statement writes and enters. */
export const writesOf = (text: string): Written =>
  writtenBy(parsed(text), name => sharedTables.has(name) || name.includes('.'));

const kindViolations = (kind: string, statement: Tree, sender: Sender): readonly string[] => {
  if (kind === 'VariableSetStmt') return statement.is_local ? [] : ['a setting of the session'];
  if (kind === 'VacuumStmt' && sender === 'owner') return [];
  return allowed.has(kind) ? [] : [`${kind}`];
};

interface Table {
  readonly name: string;
  readonly alias: string;
}

class Checker {
  readonly #sender: Sender;
  readonly #found: string[];

  constructor(sender: Sender, found: string[]) {
    this.#sender = sender;
    this.#found = found;
  }

  /** Checks a node and its descendants. @param scope names of the common table expressions in scope */
  visit(node: unknown, scope: ReadonlySet<string>): void {
    if (Array.isArray(node)) for (const each of node) this.visit(each, scope);
    else if (typeof node === 'object' && node !== null)
      for (const key in node) {
        const value = (node as Tree)[key];
        if (queries.has(key)) this.#query(key as Queries, value as Tree, scope);
        else {
          if (key === 'FuncCall') this.#call(value as Tree);
          this.visit(value, scope);
        }
      }
  }

  #call(call: Tree): void {
    const name = nameOf(call);
    if (this.#sender === 'tenant' && forbidden.test(name)) this.#found.push(`${name}()`);
    const last = (call.args as readonly Tree[] | undefined)?.at(-1);
    if (name === 'set_config' && !isTrue(last)) this.#found.push('set_config() for the session');
  }

  #query(kind: Queries, query: Tree, outer: ReadonlySet<string>): void {
    if (query.intoClause) this.#found.push('a new table');
    const { withClause, larg, rarg, fromClause, usingClause, relation, selectStmt, ...rest } = query;
    const scope = this.#with(withClause as Tree | undefined, outer);
    for (const side of [larg, rarg]) if (side) this.#query('SelectStmt', side as Tree, scope);
    const level: Level = { tables: [], functions: [], conditions: [] };
    for (const item of [fromClause, usingClause].flat()) if (item) this.#from(item as Tree, level, scope);
    if (kind === 'InsertStmt') this.#insert(query, scope);
    else if (relation) level.tables.push(tableOf(relation as Tree));
    conjuncts(rest.whereClause as Tree | undefined, level.conditions);
    this.#bind(level, scope);
    if (kind === 'UpdateStmt' && (rest.targetList as Tree[]).some(target => named(target) === 'tenant_id'))
      this.#found.push('tenant_id is changed');
    if (this.#sender !== 'system' && kind !== 'SelectStmt' && kind !== 'InsertStmt')
      for (const name of callsOf(rest)) if (volatile.test(name)) this.#found.push(`${name}() in a change`);
    this.visit(rest, scope);
  }

  #with(clause: Tree | undefined, outer: ReadonlySet<string>): ReadonlySet<string> {
    const scope = new Set(outer);
    const expressions = ((clause?.ctes ?? []) as { CommonTableExpr: { ctename: string; ctequery: Node } }[]).map(
      ({ CommonTableExpr }) => CommonTableExpr,
    );
    if (clause?.recursive) for (const { ctename } of expressions) scope.add(ctename);
    for (const { ctename, ctequery } of expressions) {
      this.visit(ctequery, scope);
      scope.add(ctename);
    }
    return scope;
  }

  #from(item: Tree, level: Level, scope: ReadonlySet<string>): void {
    const { RangeVar, JoinExpr, RangeSubselect, RangeFunction } = item as Readonly<Record<string, Tree | undefined>>;
    if (RangeVar) level.tables.push(tableOf(RangeVar));
    if (RangeSubselect) this.visit(RangeSubselect.subquery, scope);
    if (RangeFunction) {
      level.functions.push(...callsOf(RangeFunction));
      this.visit(RangeFunction, scope);
    }
    if (!JoinExpr) return;
    this.#from(JoinExpr.larg as Tree, level, scope);
    this.#from(JoinExpr.rarg as Tree, level, scope);
    conjuncts(JoinExpr.quals as Tree | undefined, level.conditions);
    this.visit(JoinExpr.quals, scope);
  }

  #bind({ tables, functions, conditions }: Level, scope: ReadonlySet<string>): void {
    const own = tables.filter(({ name }) => !scope.has(name) && !this.#isShared(name));
    const bound = new Set(conditions.flatMap(boundBy));
    for (const { name, alias } of own)
      if (!bound.has(alias) && !(tables.length === 1 && bound.has('')))
        this.#found.push(`${name} without the tenant's constant`);
    const reading = functions.filter(name => !pure.test(name));
    if (tables.length > 0 && reading.length > 0)
      this.#found.push(`${reading} beside ${tables.map(({ name }) => name)}`);
  }

  #isShared(name: string): boolean {
    if (sharedTables.has(name) || (this.#sender === 'system' && name.includes('.'))) return true;
    return this.#sender !== 'tenant' && (name.startsWith('pg_') || name.includes('_migration'));
  }

  #insert({ relation, cols, selectStmt }: Tree, scope: ReadonlySet<string>): void {
    const { name } = tableOf(relation as Tree);
    this.visit(selectStmt, scope);
    if (this.#isShared(name)) return;
    const rows = ((selectStmt as Tree | undefined)?.SelectStmt as Tree | undefined)?.valuesLists as
      | { List: { items: readonly Tree[] } }[]
      | undefined;
    if (!rows) this.#found.push(`rows of ${name} from a query`);
    else if (this.#sender !== 'system' && contains(rows, 'SubLink'))
      this.#found.push(`a subquery in the rows of ${name}`);
    const place = ((cols ?? []) as readonly Tree[]).findIndex(column => named(column) === 'tenant_id');
    if (place < 0 || rows?.some(({ List }) => !isConstant(List.items[place])))
      this.#found.push(`a row of ${name} without the tenant's constant`);
  }
}

/** The tables, the functions in FROM, and the conditions that apply to every row of one query, without its subqueries. */
interface Level {
  readonly tables: Table[];
  readonly functions: string[];
  readonly conditions: Tree[];
}

const tableOf = ({ schemaname, relname, alias }: Tree): Table => {
  const name = schemaname && schemaname !== 'pg_catalog' ? `${schemaname}.${relname}` : String(relname);
  return { name, alias: String((alias as Tree | undefined)?.aliasname ?? relname) };
};

const named = (target: Tree): unknown => (target.ResTarget as Tree).name;

const nameOf = (call: Tree): string => {
  const parts = call.funcname as readonly { String: { sval: string } }[];
  return parts.at(-1)?.String.sval ?? '';
};

/** Whether a node or one of its descendants is of a kind. */
const contains = (node: unknown, kind: string): boolean =>
  Array.isArray(node)
    ? node.some(each => contains(each, kind))
    : typeof node === 'object' &&
      node !== null &&
      (kind in node || Object.values(node).some(each => contains(each, kind)));

const callsOf = (node: unknown): string[] => {
  if (Array.isArray(node)) return node.flatMap(callsOf);
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    key === 'SubLink' ? [] : key === 'FuncCall' ? [nameOf(value), ...callsOf(value)] : callsOf(value),
  );
};

/** Adds the conditions joined by AND to `found`. */
const conjuncts = (node: Tree | undefined, found: Tree[]): void => {
  const all = node?.BoolExpr as Tree | undefined;
  if (all?.boolop === 'AND_EXPR') for (const each of all.args as Tree[]) conjuncts(each, found);
  else if (node) found.push(node);
};

/** Returns the alias whose tenant_id a condition equates with a constant; the empty string for an unqualified column. */
const boundBy = (condition: Tree): readonly string[] => {
  const expression = condition.A_Expr as Tree | undefined;
  const [operator] = (expression?.name ?? []) as readonly { String: { sval: string } }[];
  if (expression?.kind !== 'AEXPR_OP' || operator?.String.sval !== '=') return [];
  const { lexpr, rexpr } = expression as Readonly<Record<string, Tree>>;
  if (!isConstant(rexpr)) return [];
  const column = lexpr?.ColumnRef as Tree | undefined;
  const path = ((column?.fields ?? []) as readonly Tree[]).map(field => (field.String as Tree | undefined)?.sval);
  return path.at(-1) === 'tenant_id' ? [String(path.at(-2) ?? '')] : [];
};

const isConstant = (node: Tree | undefined): boolean =>
  node !== undefined && ('ParamRef' in node || 'A_Const' in node || isConstant((node.TypeCast as Tree)?.arg as Tree));

const isTrue = (node: Tree | undefined): boolean =>
  ((node?.A_Const as Tree | undefined)?.boolval as Tree | undefined)?.boolval === true;
