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

/** The insert with the tenant's id in every row. */
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
    throw new Error('The row to be inserted names another tenant.');
  }
  if (!SelectQueryNode.is(values)) throw new Error(`A ${values.kind} in place of rows cannot be given a tenant.`);
  if (columns.length === 0 || given >= 0)
    throw new Error('An insert from a query names its columns, and leaves tenant_id out.');
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

/** In the last place, so that an `order by 2` still means the same column; cast, since a union would take it for a text. */
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
          throw new Error('A part of a union that is no select cannot be given a tenant.');
        return { ...operation, expression: withTenantSelection(operation.expression, tenant) };
      }),
    }),
  };
};

/** The clause with tenant_id leading the columns that conflict, as it leads every unique index, and only the tenant's own row changed. */
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
