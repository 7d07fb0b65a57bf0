import { newId } from '../../db/ids.ts';
import type { OwnerTransaction } from '../../db/owner.ts';

/** A row that lacks what every client has. */
const failure = [{ code: 'not_empty', field: 'company', message: 'company: a value is required.' }];

/**
 * Adds a finished import of clients with the results of its rows.
 * @returns the number of written rows by table
 */
export const addImports = async (
  transaction: OwnerTransaction,
  apiUserId: number,
): Promise<Readonly<Record<string, number>>> => {
  const { kysely } = transaction;
  const clients = await kysely.selectFrom('clients').select(['id', 'external_id']).orderBy('id').limit(3).execute();
  const outcomes = ['created', 'updated', 'unchanged'] as const;
  const results = [
    ...clients.map((client, index) => ({
      ...client,
      result: outcomes[index] ?? 'unchanged',
      errors: '[]',
      warnings: '[]',
    })),
    { id: null, external_id: 'C-0043', result: 'failed' as const, errors: JSON.stringify(failure), warnings: '[]' },
  ];
  const count = (outcome: string) => results.filter(({ result }) => result === outcome).length;
  const id = await newId(transaction, 'imports');
  await kysely
    .insertInto('imports')
    .values({
      id,
      resource: 'clients',
      mode: 'upsert',
      dry_run: false,
      status: 'done',
      rows: results.length,
      created: count('created'),
      updated: count('updated'),
      unchanged: count('unchanged'),
      failed: count('failed'),
      api_user_id: apiUserId,
      parameters: '',
      format: 'ndjson',
      size: 0,
    })
    .execute();
  await kysely
    .insertInto('import_results')
    .values(results.map((result, index) => ({ ...result, import_id: id, line: index + 1 })))
    .execute();
  return { imports: 1, import_results: results.length };
};
