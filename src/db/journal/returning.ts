import {
  type AliasedRawBuilder,
  AliasNode,
  ColumnNode,
  ColumnUpdateNode,
  type DeleteQueryNode,
  ExpressionWrapper,
  FromNode,
  IdentifierNode,
  type InsertQueryNode,
  type OperationNode,
  type RawBuilder,
  ReferenceNode,
  ReturningNode,
  type RootOperationNode,
  SelectionNode,
  type SqlBool,
  sql,
  TableNode,
  type UpdateQueryNode,
  WhereNode,
} from 'kysely';
import { before, rowBefore } from './row-before.ts';
import { type JournalTable, journalTables } from './tables.ts';
import { externalIdColumn, fieldsColumn, idColumn } from './write.ts';

/**
 * Returns a query that, if it changes a journalled table, also returns what the journal needs.
 * The ids of the changed records and the names of the fields whose values differ. An update sets `updated_at` only where it changes
 * another value.
 */
export const withJournalColumns = (node: RootOperationNode): RootOperationNode => {
  const target = targetOf(node);
  const named = target && (AliasNode.is(target) ? target.node : target);
  const table = named && TableNode.is(named) ? journalTables.get(named.table.identifier.name) : undefined;
  if (!target || !table) return node;
  const alias = AliasNode.is(target)
    ? (target.alias as IdentifierNode).name
    : (named as TableNode).table.identifier.name;
  const ids = [
    selection(sql.id(alias, table.key), idColumn),
    ...(table.hasExternalId ? [selection(sql.id(alias, 'external_id'), externalIdColumn)] : []),
  ];
  if (node.kind === 'InsertQueryNode' && !table.beside) {
    const { columns = [] } = node as InsertQueryNode;
    const names = new Set([...columns.map(({ column }) => column.name), ...table.filled]);
    return returning(
      node as InsertQueryNode,
      ids,
      fieldsIn(table, [...names], name => sql`${sql.id(alias, name)} is not null`),
    );
  }
  const isKnown = selectionsOf(node as ChangeNode).some(({ selection: own }) => aliasOf(own) === KNOWN);
  if (node.kind !== 'UpdateQueryNode' || table.beside || isKnown) return returning(node as ChangeNode, ids, []);
  return compared(node as UpdateQueryNode, ids, { table, name: (named as TableNode).table.identifier.name, alias });
};

/** Returns the RETURNING clause for a change in plain SQL; empty if the table is not journalled. */
export const returningIds = (name: string): string => {
  const table = journalTables.get(name);
  if (!table) return '';
  const externalId = table.hasExternalId ? `, external_id as ${externalIdColumn}` : '';
  return ` returning ${table.key} as ${idColumn}${externalId}`;
};

/**
 * Returns what an update returns to name differing fields beside those of its columns.
 * These are values that records show of others.
 * @param conditions for each field, when it differs; `before` has the values of the update's columns before it
 */
export const changedFields = (
  conditions: Readonly<Record<string, RawBuilder<SqlBool>>>,
): AliasedRawBuilder<unknown, typeof fieldsColumn> => namesWhere(Object.entries(conditions)).as(fieldsColumn);

export { before };

const KNOWN = 'journal_known';

/** What an update returns whose statement returns what differs (`records`): nothing is compared. */
export const known: AliasedRawBuilder<unknown, typeof KNOWN> = sql`null`.as(KNOWN);

type ChangeNode = InsertQueryNode | UpdateQueryNode | DeleteQueryNode;
type NamedChanges = readonly (readonly [name: string, when: RawBuilder<SqlBool>])[];

interface ReturningTarget {
  readonly table: JournalTable;
  /** The name of the table, and its alias. */
  readonly name: string;
  readonly alias: string;
}

const TOUCHED = 'updated_at';

/** Adds the row before the update, with whose values those after it are compared. */
const compared = (node: UpdateQueryNode, ids: readonly SelectionNode[], target: ReturningTarget): UpdateQueryNode => {
  const { table, name, alias } = target;
  const updates = node.updates ?? [];
  const set = updates.map(columnOf);
  const names = set.filter(column => table.fields.has(column) && !table.inheriting.has(column));
  const differs = (column: string) => sql<SqlBool>`${before(column)} is distinct from ${sql.id(alias, column)}`;
  const old = rowBefore(name, table.key, set);
  const isSame = sql<SqlBool>`${before(table.key)} = ${sql.id(alias, table.key)}`.toOperationNode();
  return returning(
    {
      ...node,
      // Who names fields has selected the records in which something differs.
      updates: isTold(node) ? updates : updates.map(update => touchedIfChanged(update, updates, alias)),
      // First, since joins are those of the last one.
      from: FromNode.create([old, ...(node.from?.froms ?? [])]),
      where: node.where ? WhereNode.cloneWithOperation(node.where, 'And', isSame) : WhereNode.create(isSame),
    },
    ids,
    fieldsIn(table, names, differs),
  );
};

/** Returns the assignment of `updated_at`, which stays if no other column changes. */
const touchedIfChanged = (
  update: ColumnUpdateNode,
  updates: readonly ColumnUpdateNode[],
  alias: string,
): ColumnUpdateNode => {
  const others = updates.filter(other => columnOf(other) !== TOUCHED);
  if (columnOf(update) !== TOUCHED || others.length === 0) return update;
  const column = (name: string) => sql.id(alias, name);
  const differ = others.map(
    other => sql<SqlBool>`${column(columnOf(other))} is distinct from ${new ExpressionWrapper(other.value)}`,
  );
  const value = sql`touched_at(${sql.join(differ, sql` or `)}, ${new ExpressionWrapper(update.value)}, ${column(TOUCHED)})`;
  return ColumnUpdateNode.create(update.column, value.toOperationNode());
};

const columnOf = ({ column }: ColumnUpdateNode): string => {
  const node = ReferenceNode.is(column) ? column.column : column;
  return ColumnNode.is(node) ? node.column.name : '';
};

/** The names of the fields that show the columns. */
const fieldsIn = (
  table: JournalTable,
  columns: readonly string[],
  when: (column: string) => RawBuilder<SqlBool>,
): NamedChanges =>
  columns.flatMap(column => (table.fields.get(column) ?? []).map(name => [name, when(column)] as const));

const namesWhere = (names: NamedChanges): RawBuilder<unknown> =>
  sql`array_remove(array[${sql.join(names.map(([name, when]) => sql`case when ${when} then ${sql.lit(name)} end`))}]::text[], null)`;

/** Adds what the journal needs to what the query returns. */
const returning = <Node extends ChangeNode>(node: Node, ids: readonly SelectionNode[], names: NamedChanges): Node => {
  const selections = selectionsOf(node);
  const rest = selections.filter(({ selection: own }) => aliasOf(own) !== fieldsColumn && aliasOf(own) !== KNOWN);
  const own = selections.find(({ selection: each }) => aliasOf(each) === fieldsColumn)?.selection;
  const given = own && AliasNode.is(own) ? [new ExpressionWrapper(own.node)] : [];
  const all = [...given, ...(names.length > 0 ? [namesWhere(names)] : [])];
  const fields = all.length > 0 ? [selection(sql`${sql.join(all, sql` || `)}`, fieldsColumn)] : [];
  return { ...node, returning: ReturningNode.create([...rest, ...ids, ...fields]) };
};

const isTold = (node: ChangeNode): boolean =>
  selectionsOf(node).some(({ selection: own }) => aliasOf(own) === fieldsColumn);

const selectionsOf = (node: ChangeNode): readonly SelectionNode[] => node.returning?.selections ?? [];

const aliasOf = (node: OperationNode): string | undefined =>
  AliasNode.is(node) && IdentifierNode.is(node.alias) ? node.alias.name : undefined;

const selection = (value: RawBuilder<unknown>, name: string): SelectionNode =>
  SelectionNode.create(AliasNode.create(value.toOperationNode(), IdentifierNode.create(name)));

/** The table that a query changes, with its alias; undefined if it changes none. */
const targetOf = (node: RootOperationNode): OperationNode | undefined => {
  if (node.kind === 'InsertQueryNode') return (node as InsertQueryNode).into;
  if (node.kind === 'UpdateQueryNode') return (node as UpdateQueryNode).table;
  return node.kind === 'DeleteQueryNode' ? (node as DeleteQueryNode).from.froms[0] : undefined;
};
