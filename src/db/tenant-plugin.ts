import type { KyselyPlugin } from 'kysely';
import { TenantBinding } from './tenant-binding.ts';

const bindable = new Set(['SelectQueryNode', 'InsertQueryNode', 'UpdateQueryNode', 'DeleteQueryNode']);

/**
 * Binds `tenant_id = $n` to every table that a query reads or writes, and gives the column to every row it inserts, so that
 * hand-written queries do not name it. Throws for a query in which it cannot see every table.
 * @param tenant the tenant's id, or whatever shall stand in its place among the parameters of a compiled query.
 */
export const tenantPlugin = (tenant: unknown): KyselyPlugin => {
  const binding = new TenantBinding(tenant);
  return {
    transformQuery({ node, queryId }) {
      if (!bindable.has(node.kind))
        throw new Error(
          `A ${node.kind} cannot be bound to a tenant: write a select, insert, update or delete with the query builder.`,
        );
      return binding.transformNode(node, queryId);
    },
    transformResult: async ({ result }) => result,
  };
};
