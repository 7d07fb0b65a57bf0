import type { KyselyPlugin } from 'kysely';
import { withJournalColumns } from '../journal/returning.ts';
import { TenantBinding } from './tenant-binding.ts';

const bindable = new Set(['SelectQueryNode', 'InsertQueryNode', 'UpdateQueryNode', 'DeleteQueryNode']);

/**
 * Returns a plugin that adds `tenant_id = $n` for every table and the column to every inserted row.
 * Hand-written queries need not name it. Changes of journalled tables also return what the journal is told. Queries whose tables it cannot determine throw an Error.
 * @param tenant the tenant's id, or a placeholder for it among the parameters of a compiled query.
 */
export const tenantPlugin = (tenant: unknown): KyselyPlugin => {
  const binding = new TenantBinding(tenant);
  return {
    transformQuery({ node, queryId }) {
      if (!bindable.has(node.kind))
        throw new Error(
          `A ${node.kind} cannot be bound to a tenant: use a select, insert, update or delete of the query builder.`,
        );
      return binding.transformNode(withJournalColumns(node), queryId);
    },
    transformResult: async ({ result }) => result,
  };
};
