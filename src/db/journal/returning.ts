import {
  type AliasedRawBuilder,
  AliasNode,
  ColumnNode,
  type DeleteQueryNode,
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
} from 'kysely';
import { journalTables } from './tables.ts';
import { externalIdColumn, fieldsColumn, idColumn } from './write.ts';

/** Returns a query that, if it changes a journalled table, also returns the ids of the changed records. */
export const withJournalIds = (node: RootOperationNode): RootOperationNode => {
  const target = targetOf(node);
  const named = target && (AliasNode.is(target) ? target.node : target);
  const table = named && TableNode.is(named) ? journalTables.get(named.table.identifier.name) : undefined;
  if (!target || !table) return node;
  const alias = AliasNode.is(target) ? (target.alias as IdentifierNode) : (target as TableNode).table.identifier;
  const selection = (column: string, name: string): SelectionNode =>
    SelectionNode.create(
      AliasNode.create(
        ReferenceNode.create(ColumnNode.create(column), TableNode.create(alias.name)),
        IdentifierNode.create(name),
      ),
    );
  const ids = [
    selection(table.key, idColumn),
    ...(table.hasExternalId ? [selection('external_id', externalIdColumn)] : []),
  ];
  const { returning } = node as ChangeNode;
  return {
    ...node,
    returning: returning ? ReturningNode.cloneWithSelections(returning, ids) : ReturningNode.create(ids),
  } as RootOperationNode;
};

/** Returns the RETURNING clause for a statement in plain SQL that changes a table; empty if it is not journalled. */
export const returningIds = (name: string): string => {
  const table = journalTables.get(name);
  if (!table) return '';
  const externalId = table.hasExternalId ? `, external_id as ${externalIdColumn}` : '';
  return ` returning ${table.key} as ${idColumn}${externalId}`;
};

/**
 * Returns what an update returns to name, for each record, fields that it changes without setting columns named like them: values that
 * records show of others.
 * @param conditions for each field, when it changes
 */
export const changedFields = (
  conditions: Readonly<Record<string, RawBuilder<SqlBool>>>,
): AliasedRawBuilder<unknown, typeof fieldsColumn> => {
  const names = Object.entries(conditions).map(([name, when]) => sql`case when ${when} then ${sql.lit(name)} end`);
  return sql`array_remove(array[${sql.join(names)}]::text[], null)`.as(fieldsColumn);
};

type ChangeNode = InsertQueryNode | UpdateQueryNode | DeleteQueryNode;

/** The table that a query changes, with its alias; undefined if it changes none. */
const targetOf = (node: RootOperationNode): OperationNode | undefined => {
  if (node.kind === 'InsertQueryNode') return (node as InsertQueryNode).into;
  if (node.kind === 'UpdateQueryNode') return (node as UpdateQueryNode).table;
  return node.kind === 'DeleteQueryNode' ? (node as DeleteQueryNode).from.froms[0] : undefined;
};
