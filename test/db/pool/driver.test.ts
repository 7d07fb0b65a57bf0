import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { Duplex } from 'node:stream';
import { after, describe, it } from 'node:test';
import pg from 'pg';
import { prepareValue } from 'pg/lib/utils.js';
import { EmbeddedDatabase } from '../../../src/db/embedded/embedded.ts';
import { serverUrl } from '../../support/database.ts';
import { chosenDatabases, databaseWords } from '../../support/databases.ts';
import { embeddedTemplate } from '../../support/template.ts';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

describe('what the pool takes from pg', () => {
  it('was read in the version that is installed', () => {
    const { version } = JSON.parse(read('../../../node_modules/pg/package.json'));
    assert.match(read('../../../src/db/pool/pool.ts'), new RegExp(`as read in version ${version} `));
  });

  const embedded = async (): Promise<pg.ClientConfig> => {
    const database = new EmbeddedDatabase('memory://', await embeddedTemplate());
    after(() => database.close());
    return { stream: () => database.stream(), ssl: false, ...{ user: 'postgres', password: '', database: 'postgres' } };
  };
  const configs = { embedded, postgres: async () => ({ connectionString: await serverUrl() }) };
  for (const name of chosenDatabases.each)
    it(`is where it was on a connection of ${databaseWords[name]}: its stream, who listens to it, and what cancels`, async () => {
      const client = new pg.Client(await configs[name]());
      await client.connect();
      try {
        const { connection, host, port, processID, secretKey } = client as unknown as Record<string, unknown>;
        assert.ok(connection instanceof EventEmitter);
        assert.equal(connection.listenerCount('errorMessage'), 1);
        const { stream } = connection as unknown as Record<string, unknown>;
        assert.ok(stream instanceof Duplex);
        // The parser of pg: nothing else reads, so that nothing else is lost when it is removed.
        assert.equal(stream.listenerCount('data'), 1);
        assert.deepEqual(
          [host, port].map(value => typeof value),
          ['string', 'number'],
        );
        for (const value of [processID, secretKey]) assert.ok(value === null || Number.isInteger(value));
        if (name === 'postgres') assert.ok(processID !== null && secretKey !== null);
        const failed = new Promise(resolve => client.once('error', resolve));
        connection.emit('errorMessage', new Error('terminating connection'));
        assert.match(String(await failed), /terminating connection/);
      } finally {
        await client.end().catch(() => {});
      }
    });

  it('converts values to the strings that Postgres parses, and leaves bytes', () => {
    const bytes = Buffer.from('a');
    assert.deepEqual([null, undefined, true, 1.5, 10n, ['a', null, 'b"'], { a: 1 }, bytes].map(prepareValue), [
      null,
      null,
      'true',
      '1.5',
      '10',
      '{"a",NULL,"b\\""}',
      '{"a":1}',
      bytes,
    ]);
  });
});
