import { pino } from 'pino';
import { createProcess, type ImportParts, type Process } from '../../src/imports/process.ts';
import { readOldest } from '../../src/imports/state.ts';
import { importParts } from '../../src/server/api.ts';
import type { ApiResponse, App, Client } from '../support/app.ts';

/** Sends rows to be imported, as NDJSON unless the type is given. */
export const send = (
  client: Pick<Client, 'call'>,
  path: string,
  rows: string | readonly object[],
  type = typeof rows === 'string' ? 'text/csv' : 'application/x-ndjson',
): Promise<ApiResponse> =>
  client.call('POST', path, {
    body: typeof rows === 'string' ? rows : rows.map(row => `${JSON.stringify(row)}\n`).join(''),
    headers: { 'Content-Type': type },
  });

/** Processes imports of an app, as its worker does, when a test asks for it. */
export class Importer {
  readonly #app: Pick<App, 'database' | 'files'>;
  readonly #changes: Partial<ImportParts>;
  #process: Process | null = null;

  constructor(app: Pick<App, 'database' | 'files'>, changes: Partial<ImportParts> = {}) {
    this.#app = app;
    this.#changes = changes;
  }

  /** Processes all imports of the client's tenant. */
  async work({ tenant }: Pick<Client, 'tenant'>, goesOn = () => true): Promise<void> {
    const { database, files } = this.#app;
    const db = database.forTenant(tenant);
    this.#process ??= createProcess(importParts({ database, files, ...defaults, ...this.#changes }));
    for (let next = await readOldest(db); next; next = await readOldest(db)) {
      await this.#process({ tenant_id: tenant.id, import_id: next.id }, goesOn);
      if (!goesOn()) return;
    }
  }

  /** Sends rows, processes them and returns the import with its results. */
  async import(client: Client, path: string, rows: string | readonly object[]) {
    const accepted = await send(client, path, rows);
    if (accepted.status !== 202) throw new Error(accepted.text);
    await this.work(client);
    return resultsOf(client, accepted.body.id);
  }
}

/** Returns an import, and its results in short: line, id, external id, result and the codes and fields of the errors. */
export const resultsOf = async (client: Pick<Client, 'call'>, id: number) => {
  const { body: found } = await client.call('GET', `/imports/${id}`);
  const { body: results } = await client.call('GET', `/imports/${id}/results`);
  return { found, results, counts: [found.rows, found.created, found.updated, found.unchanged, found.failed] };
};

// A batch that ends with a number of rows, whatever time they take.
const defaults = {
  cells: { defused: true, depth: 64 },
  milliseconds: Number.POSITIVE_INFINITY,
  log: pino({ level: 'silent' }),
};
