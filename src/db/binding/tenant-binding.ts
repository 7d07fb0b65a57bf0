import {
  type AggregateFunctionNode,
  AliasNode,
  AndNode,
  BinaryOperationNode,
  ColumnNode,
  type ColumnUpdateNode,
  type DeleteQueryNode,
  type FunctionNode,
  IdentifierNode,
  type InsertQueryNode,
  type JoinNode,
  OnNode,
  type OperationNode,
  OperationNodeTransformer,
  OperatorNode,
  ParensNode,
  type QueryId,
  RawNode,
  ReferenceNode,
  type SelectModifierNode,
  type SelectQueryNode,
  TableNode,
  type UpdateQueryNode,
  ValueNode,
  WhereNode,
  type WithNode,
} from 'kysely';
import { withTenantColumn, withTenantTarget } from './tenant-insert.ts';

/** Tables shared by all tenants. */
const shared = new Set(['tenants', 'tenant_hosts', 'administration_tokens', 'administration_log']);

/** Keywords after which raw SQL could name a table. */
const naming = /\b(?:select|insert|update|delete|merge|join|table|truncate|copy)\b/i;

const call = /^\s*(?:lateral\s+)?\w+\s*\(/i;

type TenantConditions = OperationNode[];

/** Binds queries to a tenant; see tenantPlugin. */
export class TenantBinding extends OperationNodeTransformer {
  readonly #tenant: OperationNode;
  readonly #value: unknown;
  /** Names of the common table expressions in scope: of the current query and of those that contain it. */
  readonly #scopes: Set<string>[] = [];
  /** Queries already bound: a subquery built separately is visited twice. */
  readonly #bound = new WeakSet<OperationNode>();

  constructor(tenant: unknown) {
    super();
    this.#value = tenant;
    this.#tenant = ValueNode.create(tenant);
  }

  protected override transformNodeImpl<T extends OperationNode>(node: T, queryId: QueryId): T {
    return this.#bound.has(node) ? node : super.transformNodeImpl(node, queryId);
  }

  protected override transformSelectQuery(node: SelectQueryNode, queryId: QueryId): SelectQueryNode {
    return this.#scoped(node, queryId, conditions => {
      const { from, joins, with: _, ...rest } = node;
      return {
        ...super.transformSelectQuery(rest, queryId),
        ...(from && { from: { ...from, froms: from.froms.map(table => this.#table(table, conditions, queryId)) } }),
        ...(joins && { joins: joins.map(join => this.#join(join, conditions, queryId)) }),
      };
    });
  }

  protected override transformUpdateQuery(node: UpdateQueryNode, queryId: QueryId): UpdateQueryNode {
    return this.#scoped(node, queryId, conditions => {
      const { table, from, joins, with: _, ...rest } = node;
      return {
        ...super.transformUpdateQuery(rest, queryId),
        ...(table && { table: this.#target(table, conditions) }),
        ...(from && { from: { ...from, froms: from.froms.map(table => this.#table(table, conditions, queryId)) } }),
        ...(joins && { joins: joins.map(join => this.#join(join, conditions, queryId)) }),
      };
    });
  }

  protected override transformDeleteQuery(node: DeleteQueryNode, queryId: QueryId): DeleteQueryNode {
    return this.#scoped(node, queryId, conditions => {
      const { from, using, joins, with: _, ...rest } = node;
      return {
        ...super.transformDeleteQuery({ ...rest, from: { ...from, froms: [] } }, queryId),
        from: { ...from, froms: from.froms.map(table => this.#target(table, conditions)) },
        ...(using && {
          using: { ...using, tables: using.tables.map(table => this.#table(table, conditions, queryId)) },
        }),
        ...(joins && { joins: joins.map(join => this.#join(join, conditions, queryId)) }),
      };
    });
  }

  protected override transformInsertQuery(node: InsertQueryNode, queryId: QueryId): InsertQueryNode {
    return this.#scoped(node, queryId, () => {
      const { into, with: _, ...rest } = node;
      const conditions: TenantConditions = [];
      const target = into && this.#target(into, conditions);
      const made = withTenantColumn(super.transformInsertQuery(rest, queryId), this.#value);
      const [own] = conditions;
      return {
        ...made,
        ...(target && { into: target as TableNode }),
        ...(made.onConflict && own && { onConflict: withTenantTarget(made.onConflict, own) }),
      };
    });
  }

  protected override transformMergeQuery(): never {
    throw new Error('A merge cannot be bound to a tenant: use an insert with onConflict.');
  }

  protected override transformColumnUpdate(node: ColumnUpdateNode, queryId: QueryId): ColumnUpdateNode {
    const column = ReferenceNode.is(node.column) ? node.column.column : node.column;
    if (!ColumnNode.is(column)) throw new Error('The column to be set is raw SQL: expected a column name.');
    if (column.column.name === 'tenant_id')
      throw new Error('The column tenant_id cannot be changed: a row stays with its tenant.');
    return super.transformColumnUpdate(node, queryId);
  }

  protected override transformRaw(node: RawNode, queryId: QueryId): RawNode {
    const fragment = node.sqlFragments.find(fragment => naming.test(fragment.replace(/'[^']*'|"[^"]*"/g, '')));
    if (fragment !== undefined)
      throw new Error(`Raw SQL that may name a table cannot be bound to a tenant: ${fragment.trim()}`);
    return super.transformRaw(node, queryId);
  }

  /** Rejects a table in a position that this class does not bind. */
  protected override transformTable({ table }: TableNode): never {
    throw new Error(`Table ${table.identifier.name} is in a position where it cannot be bound to a tenant.`);
  }

  /** Skips the table of a column reference: the query contains that table elsewhere, where it is bound. */
  protected override transformReference(node: ReferenceNode): ReferenceNode {
    return node;
  }

  protected override transformSelectModifier(node: SelectModifierNode, queryId: QueryId): SelectModifierNode {
    const { of, ...rest } = node;
    return { ...super.transformSelectModifier(rest, queryId), ...(of && { of }) };
  }

  protected override transformFunction(node: FunctionNode, queryId: QueryId): FunctionNode {
    return { ...node, arguments: this.#arguments(node.arguments, queryId) };
  }

  protected override transformAggregateFunction(node: AggregateFunctionNode, queryId: QueryId): AggregateFunctionNode {
    return {
      ...super.transformAggregateFunction({ ...node, aggregated: [] }, queryId),
      aggregated: this.#arguments(node.aggregated, queryId),
    };
  }

  /** Transforms function arguments; a table among them is the current row of one bound elsewhere. */
  #arguments(nodes: readonly OperationNode[], queryId: QueryId): OperationNode[] {
    return nodes.map(node => (TableNode.is(node) ? node : this.transformNode(node, queryId)));
  }

  /** Transforms a query's parts with its table expressions in scope, and adds the tenant conditions. */
  #scoped<T extends OperationNode & { where?: WhereNode; with?: WithNode }>(
    node: T,
    queryId: QueryId,
    transform: (conditions: TenantConditions) => T,
  ): T {
    const scope = new Set<string>();
    this.#scopes.push(scope);
    const ctes = node.with && this.#with(node.with, scope, queryId);
    const conditions: TenantConditions = [];
    const made = transform(conditions);
    this.#scopes.pop();
    const result = {
      ...made,
      ...(ctes && { with: ctes }),
      ...(conditions.length > 0 && { where: WhereNode.create(both(conditions, made.where?.where)) }),
    };
    this.#bound.add(result);
    return result;
  }

  #with(node: WithNode, scope: Set<string>, queryId: QueryId): WithNode {
    const nameOf = ({ name }: (typeof node.expressions)[number]): string => name.table.table.identifier.name;
    if (node.recursive) for (const expression of node.expressions) scope.add(nameOf(expression));
    const expressions = node.expressions.map(expression => {
      const made = { ...expression, expression: this.transformNode(expression.expression, queryId) };
      scope.add(nameOf(expression));
      return made;
    });
    return { ...node, expressions };
  }

  #join(node: JoinNode, conditions: TenantConditions, queryId: QueryId): JoinNode {
    const { joinType, on } = node;
    const crossing = joinType === 'CrossJoin' || joinType === 'LateralCrossJoin';
    // The tenant condition of an outer join's table belongs to ON: in WHERE it would drop the rows without a match.
    const own: TenantConditions = [];
    const table = this.#table(node.table, crossing ? conditions : own, queryId);
    // Nor can a full join have one in WHERE, of a table before it.
    const bound = own.length + conditions.length > 0;
    const keepsAll = joinType === 'FullJoin' ? bound : !/(?:Inner|Left)Join$/.test(joinType);
    if (!crossing && keepsAll)
      throw new Error(`A ${joinType} of a table cannot be bound to a tenant: use a left join.`);
    const condition = on && this.transformNode(on.on, queryId);
    const made = own.length > 0 ? OnNode.create(both(own, condition)) : condition && OnNode.create(condition);
    return { kind: 'JoinNode', joinType, table, ...(made && { on: made }) };
  }

  /** Transforms a table expression that is read; for a table, adds the tenant condition to `conditions`. */
  #table(node: OperationNode, conditions: TenantConditions, queryId: QueryId): OperationNode {
    const inner = AliasNode.is(node) ? node.node : node;
    if (TableNode.is(inner)) return this.#isCte(inner) ? node : this.#target(node, conditions);
    if (RawNode.is(inner) && !call.test(inner.sqlFragments[0] ?? ''))
      throw new Error('Raw SQL in place of a table cannot be bound to a tenant unless it calls a function.');
    const made = this.transformNode(inner, queryId);
    return AliasNode.is(node) ? AliasNode.create(made, node.alias) : made;
  }

  /** Adds the tenant condition of a table, also of a write's target, which is never a table expression. */
  #target(node: OperationNode, conditions: TenantConditions): OperationNode {
    const inner = AliasNode.is(node) ? node.node : node;
    if (!TableNode.is(inner)) throw new Error(`A ${inner.kind} in place of a table cannot be bound to a tenant.`);
    const { schema, identifier } = inner.table;
    if (schema || shared.has(identifier.name)) throw new Error(`${identifier.name} is not a table of one tenant.`);
    const alias = AliasNode.is(node) ? node.alias : identifier;
    if (!IdentifierNode.is(alias)) throw new Error(`The alias of ${identifier.name} is raw SQL: expected a name.`);
    const column = ReferenceNode.create(ColumnNode.create('tenant_id'), TableNode.create(alias.name));
    conditions.push(BinaryOperationNode.create(column, OperatorNode.create('='), this.#tenant));
    return node;
  }

  #isCte({ table: { schema, identifier } }: TableNode): boolean {
    return !schema && this.#scopes.some(scope => scope.has(identifier.name));
  }
}

/** Returns the conjunction of the conditions and `rest`, in parentheses since it may be raw SQL. */
const both = (conditions: TenantConditions, rest: OperationNode | undefined): OperationNode => {
  const all = rest ? [...conditions, ParensNode.is(rest) ? rest : ParensNode.create(rest)] : conditions;
  return all.reduce((left, right) => AndNode.create(left, right));
};
