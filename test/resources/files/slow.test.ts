import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { forEachApp } from '../../support/for-each-app.ts';
import { until } from '../../support/until.ts';

/** Only the time for a body as a whole can end, not that in which a part of it has to arrive. */
const times = { whole: 3_600_000, body: 100 };

forEachApp(
  (client, app) => {
    describe('a body that is not there in time', () => {
      for (const [name, path, type] of [
        ['an upload', '/files', 'text/plain'],
        ['an import', '/clients/import', 'application/x-ndjson'],
        ['JSON', '/clients', 'application/json'],
      ] as const)
        it(`is rejected with 408 and leaves nothing: ${name}`, async () => {
          const body = new PassThrough();
          body.write('{"company":');
          const { status, body: problem } = await app.callAs(client, 'POST', path, {
            headers: { 'Content-Type': type, 'Transfer-Encoding': 'chunked' },
            body,
          });
          assert.deepEqual([status, problem.code], [408, 'request_timeout']);
          for (const listing of ['/files', '/imports', '/clients'])
            assert.deepEqual((await client.call('GET', listing)).body, [], listing);
          const lines = () => app.logs.map(text => JSON.parse(text));
          const own = () =>
            lines().find(({ method, path: logged }) => method === 'POST' && logged === `/api/v1${path}`);
          // The line is written after the response, which the client can have before.
          await until('the request is logged', own);
          assert.equal(own().status, 408);
        });
    });
  },
  { times },
);
