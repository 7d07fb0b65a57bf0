import {
  AliasNode,
  AndNode,
  CastNode,
  ColumnNode,
  DataTypeNode,
  IdentifierNode,
  type InsertQueryNode,
  type OnConflictNode,
  type OperationNode,
  ParensNode,
  PrimitiveValueListNode,
  SelectionNode,
  SelectQueryNode,
  ValueListNode,
  ValueNode,
  ValuesNode,
  WhereNode,
} from 'kysely';

const tenantId = ColumnNode.create('tenant_id');

/** Returns the insert with the tenant's id in every row. @throws Error if a row names another tenant */
export const withTenantColumn = (node: InsertQueryNode, tenant: unknown): InsertQueryNode => {
  const { columns = [], values, defaultValues: _, ...rest } = node;
  if (!values) {
    const only = ValuesNode.create([PrimitiveValueListNode.create([tenant])]);
    return { ...rest, columns: [tenantId], values: only };
  }
  const given = columns.findIndex(({ column }) => column.name === 'tenant_id');
  if (ValuesNode.is(values)) {
    if (given < 0) return { ...rest, columns: [...columns, tenantId], values: withTenantValue(values, tenant) };
    if (values.values.every(row => isTenant(row, given, tenant))) return { ...rest, columns, values };
    throw new Error('The row to be inserted names another tenant: leave tenant_id out.');
  }
  if (!SelectQueryNode.is(values))
    throw new Error(`A ${values.kind} in place of rows cannot be bound to a tenant: use values or a select.`);
  if (columns.length === 0 || given >= 0)
    throw new Error('An insert from a query must name its columns, without tenant_id.');
  return { ...rest, columns: [...columns, tenantId], values: withTenantSelection(values, tenant) };
};

const withTenantValue = ({ values }: ValuesNode, tenant: unknown): ValuesNode =>
  ValuesNode.create(
    values.map(row =>
      PrimitiveValueListNode.is(row)
        ? PrimitiveValueListNode.create([...row.values, tenant])
        : ValueListNode.create([...row.values, ValueNode.create(tenant)]),
    ),
  );

const isTenant = (row: ValuesNode['values'][number], index: number, tenant: unknown): boolean => {
  const given = row.values[index];
  const value = PrimitiveValueListNode.is(row) ? given : (given as Partial<ValueNode>)?.value;
  return value === tenant || (typeof tenant === 'number' && String(value) === String(tenant));
};

/** Adds the tenant's id as the last column, so that `order by 2` keeps its meaning; cast for unions. */
const withTenantSelection = (node: SelectQueryNode, tenant: unknown): SelectQueryNode => {
  const value = CastNode.create(ValueNode.create(tenant), DataTypeNode.create('bigint'));
  const selection = SelectionNode.create(AliasNode.create(value, IdentifierNode.create('tenant_id')));
  const { setOperations, selections = [] } = node;
  return {
    ...node,
    selections: [...selections, selection],
    ...(setOperations && {
      setOperations: setOperations.map(operation => {
        if (!SelectQueryNode.is(operation.expression))
          throw new Error('Each part of a union must be a select to be bound to a tenant.');
        return { ...operation, expression: withTenantSelection(operation.expression, tenant) };
      }),
    }),
  };
};

/** Returns the clause with tenant_id as the first conflict column, and updates of the tenant only. */
export const withTenantTarget = (node: OnConflictNode, own: OperationNode): OnConflictNode => {
  const { columns, updates, updateWhere } = node;
  const named = columns?.some(({ column }) => column.name === 'tenant_id');
  const where = updateWhere ? AndNode.create(own, ParensNode.create(updateWhere.where)) : own;
  return {
    ...node,
    ...(columns && !named && { columns: [tenantId, ...columns] }),
    ...(updates && { updateWhere: WhereNode.create(where) }),
  };
};
