import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { forEachApp } from '../support/for-each-app.ts';
import { Scene } from '../support/scene.ts';
import { Importer, send } from './importer.ts';

interface Result {
  readonly line: number;
  readonly id: number | null;
  readonly external_id: string | null;
  readonly result: string;
  readonly errors: readonly { readonly code: string; readonly field: string; readonly message: string }[];
}

/** The result and the errors of each row, in short. */
const short = (results: readonly Result[]) =>
  results.map(({ line, result, errors }) => [line, result, ...errors.map(({ code, field }) => `${field} ${code}`)]);

forEachApp((client, app) => {
  const importer = new Importer(app);

  const companies = async (query = ''): Promise<string[]> => {
    const { body } = await client.call('GET', `/clients?fields=company&sort=id${query}`);
    return body.map(({ company }: { company: string }) => company);
  };

  describe('POST /clients/import', () => {
    it('creates and changes records in the background, by their external ids', async () => {
      const known = await client.call('POST', '/clients', { body: { company: 'Known', external_id: 'I-1' } });
      const accepted = await send(client, '/clients/import', [
        { external_id: 'I-1', company: 'Changed' },
        { external_id: 'I-2', company: 'New' },
        { external_id: 'I-1', company: 'Changed' },
        { external_id: 'I-3' },
        { company: 'Without' },
      ]);
      assert.equal(accepted.status, 202, accepted.text);
      const { id, created_at, updated_at, ...rest } = accepted.body;
      assert.equal(accepted.headers.location, `/api/v1/imports/${id}`);
      assert.deepEqual(rest, {
        ...{ resource: 'clients', mode: 'upsert', dry_run: 0, status: 'queued' },
        ...{ rows: 0, created: 0, updated: 0, unchanged: 0, failed: 0, error: null },
      });
      await importer.work(client);
      const { body: done } = await client.call('GET', `/imports/${id}`);
      assert.deepEqual(
        [done.status, done.rows, done.created, done.updated, done.unchanged, done.failed],
        ['done', 5, 2, 1, 1, 1],
      );
      const { body: results } = await client.call('GET', `/imports/${id}/results`);
      const { body: clients } = await client.call('GET', '/clients?fields=id,company&sort=id');
      assert.deepEqual(await companies(), ['Changed', 'New', 'Without']);
      assert.deepEqual(results, [
        { line: 1, id: known.body.id, external_id: 'I-1', result: 'updated', errors: [], warnings: [] },
        { line: 2, id: clients[1].id, external_id: 'I-2', result: 'created', errors: [], warnings: [] },
        { line: 3, id: known.body.id, external_id: 'I-1', result: 'unchanged', errors: [], warnings: [] },
        {
          ...{ line: 4, id: null, external_id: 'I-3', result: 'failed', warnings: [] },
          errors: [{ code: 'not_empty', field: 'company', message: 'company: a value is required.' }],
        },
        { line: 5, id: clients[2].id, external_id: null, result: 'created', errors: [], warnings: [] },
      ]);
    });

    it('matches rows by id, else by external id, and fails those that name no record', async () => {
      const { body: one } = await client.call('POST', '/clients', { body: { company: 'One', external_id: 'M-1' } });
      const { results } = await importer.import(client, '/clients/import', [
        { id: one.id, external_id: 'M-2', company: 'By id' },
        { external_id: 'M-2', city: 'Kiel' },
        { id: 99_999_999, company: 'Nobody' },
        { id: 'x', company: 'Nobody' },
        { id: null, external_id: 'M-2', city: 'Kiel' },
      ]);
      assert.deepEqual(short(results), [
        [1, 'updated'],
        [2, 'updated'],
        [3, 'failed', 'id reference_not_found'],
        [4, 'failed', 'id invalid_type'],
        [5, 'unchanged'],
      ]);
      const { body } = await client.call('GET', `/clients/${one.id}`);
      assert.deepEqual([body.external_id, body.company, body.city], ['M-2', 'By id', 'Kiel']);
    });

    it('only creates with mode=create, and only changes with mode=update', async () => {
      await client.call('POST', '/clients', { body: { company: 'Here', external_id: 'O-1' } });
      const rows = [
        { external_id: 'O-1', company: 'Again' },
        { external_id: 'O-2', company: 'New' },
        { company: 'No id' },
      ];
      const created = await importer.import(client, '/clients/import?mode=create', [...rows, { id: 1, company: 'Id' }]);
      assert.deepEqual(short(created.results), [
        [1, 'failed', 'external_id not_unique'],
        [2, 'created'],
        [3, 'created'],
        [4, 'failed', 'id read_only'],
      ]);
      assert.equal(created.found.mode, 'create');
      const updated = await importer.import(client, '/clients/import?mode=update', [
        ...rows.slice(0, 1),
        { external_id: 'O-3', company: 'None' },
        { company: 'No id' },
      ]);
      assert.deepEqual(short(updated.results), [
        [1, 'updated'],
        [2, 'failed', 'external_id reference_not_found'],
        [3, 'failed', 'external_id not_empty'],
      ]);
    });

    it('takes CSV with a header, any delimiter and a byte order mark; an empty cell leaves the field out', async () => {
      await client.call('POST', '/clients', { body: { company: 'Old', external_id: 'V-1', city: 'Bonn' } });
      const { results, found } = await importer.import(
        client,
        '/clients/import',
        '\ufeffexternal_id;company;city\r\nV-1;"Ne\nw; ""Co""";\r\nV-2;\'=SUM;Ulm\r\n\r\nV-3;;\r\n',
      );
      assert.deepEqual(short(results), [
        [2, 'failed', 'company invalid_character'],
        [4, 'created'],
        [6, 'failed', 'company not_empty'],
      ]);
      assert.deepEqual([found.rows, found.created, found.failed], [3, 1, 2]);
      const { body } = await client.call('GET', '/clients/external/V-2');
      assert.deepEqual([body.company, body.city], ['=SUM', 'Ulm']);
      const again = await importer.import(client, '/clients/import', 'external_id,company,city\nV-1,"New, ""Co""",\n');
      assert.deepEqual(short(again.results), [[2, 'updated']]);
      const { body: changed } = await client.call('GET', '/clients/external/V-1');
      assert.deepEqual([changed.company, changed.city], ['New, "Co"', 'Bonn']);
    });

    it('fails malformed lines one by one', async () => {
      const deep = '['.repeat(100);
      const lines = [
        '{"company": "Good", "external_id": "B-1"}',
        '{"company": ',
        '["company"]',
        `{"company": ${deep}`,
        '{"company": "Twice", "company": "Twice"}',
        '',
        `{"company": "${'x'.repeat(1_048_576)}"}`,
        '{"company": "Unknown", "nam\\u0000e": 1}',
        '{"company": "\\ud800", "external_id": "\\ud800"}',
        '{"company": "Good", "external_id": "B-2"}',
      ];
      const body = Buffer.concat([
        Buffer.from(`${lines.join('\n')}\n{"company": "`),
        Buffer.from([0xff]),
        Buffer.from('"}'),
      ]);
      const accepted = await client.call('POST', '/clients/import', { body });
      assert.equal(accepted.status, 202, accepted.text);
      await importer.work(client);
      const { body: results } = await client.call('GET', `/imports/${accepted.body.id}/results`);
      assert.deepEqual(
        short(results).map(([line, result, error]) => [line, result, String(error).split(' ').at(-1)]),
        [
          [1, 'created', 'undefined'],
          [2, 'failed', 'malformed_json'],
          [3, 'failed', 'malformed_json'],
          [4, 'failed', 'malformed_json'],
          [5, 'failed', 'malformed_json'],
          [7, 'failed', 'payload_too_large'],
          [8, 'failed', 'unknown_field'],
          [9, 'failed', 'invalid_character'],
          [10, 'created', 'undefined'],
          [11, 'failed', 'malformed_json'],
        ],
      );
    });

    it('fails rows of CSV with more or fewer cells than the header, and one whose quote is not closed', async () => {
      const csv = 'external_id,company\nW-1,a,b\nW-2\nW-3,fine\nW-4,"open\nW-5,lost\n';
      const { results } = await importer.import(client, '/clients/import', csv);
      assert.deepEqual(short(results), [
        [2, 'failed', ' invalid_format'],
        [3, 'failed', ' invalid_format'],
        [4, 'created'],
        [5, 'failed', ' invalid_format'],
      ]);
      assert.match(results[0].errors[0].message, /3 cells.*2 columns/);
    });

    it('rejects a header with unknown, double or deleted columns at once', async () => {
      const response = await send(client, '/clients/import', 'external_id,compny,city,city\nX-1,a,b,c\n');
      assert.deepEqual([response.status, response.body.code], [422, 'validation_failed']);
      assert.deepEqual(
        response.body.errors.map(({ field, code }: { field: string; code: string }) => [field, code]),
        [
          ['compny', 'unknown_field'],
          ['city', 'not_unique'],
        ],
      );
      assert.match(response.body.errors[0].message, /company/);
      const stored = [];
      for await (const { key } of app.files.store.list(client.tenant.id)) stored.push(key);
      assert.deepEqual(stored, []);
    });

    it('is done at once without rows', async () => {
      for (const rows of ['', '\ufeff', 'company\n', []] as const) {
        const { found, results } = await importer.import(client, '/clients/import', rows);
        assert.deepEqual([found.status, found.rows, results], ['done', 0, []]);
      }
    });

    it('takes gzip, and no other coding, type or charset', async () => {
      const ndjson = 'application/x-ndjson';
      const ask = (headers: Record<string, string>, body: unknown = '{"company": "Zip"}\n') =>
        client.call('POST', '/clients/import', { headers, body });
      const zipped = await ask(
        { 'Content-Type': ndjson, 'Content-Encoding': 'gzip' },
        gzipSync('{"company": "Zip"}\n'),
      );
      assert.equal(zipped.status, 202, zipped.text);
      await importer.work(client);
      assert.equal((await client.call('GET', `/imports/${zipped.body.id}`)).body.created, 1);
      assert.equal((await ask({ 'Content-Type': `${ndjson}; charset=UTF-8` })).status, 202);
      const json = await ask({ 'Content-Type': 'application/json' });
      assert.match(json.body.message, /application\/x-ndjson or text\/csv/);
      assert.doesNotMatch(json.body.description, /json/);
      for (const headers of [
        { 'Content-Type': 'text/csv; charset=windows-1252' },
        { 'Content-Type': 'text' },
        { 'Content-Type': ndjson, 'Content-Encoding': 'br' },
      ])
        assert.equal((await ask(headers)).body.code, 'unsupported_media_type');
      await importer.work(client);
    });

    it('rejects unknown modes and parameters', async () => {
      const asks = [
        ['?mode=merge', 'invalid_parameter'],
        ['?mode=create&mode=create', 'invalid_parameter'],
        ['?dry_run=maybe', 'invalid_parameter'],
        ['?force=true', 'unknown_field'],
      ];
      for (const [query, code] of asks) {
        const response = await send(client, `/clients/import${query}`, [{}]);
        assert.deepEqual([response.status, response.body.code], [400, code]);
      }
    });

    it('enters the changes in the journal, by the API user and with the id of the request, and no import', async () => {
      const { body: start } = await client.call('GET', '/changes?after=now');
      const accepted = await client.call('POST', '/clients/import', {
        body: '{"company": "Noted", "external_id": "J-1"}\n{"company": "Noted"}\n{}\n',
        headers: { 'Content-Type': 'application/x-ndjson', 'X-Request-Id': 'import-7' },
      });
      await importer.work(client);
      const { body } = await client.call('GET', `/changes?after=${start.next}`);
      const { body: me } = await client.call('GET', '/me');
      assert.deepEqual(
        body.changes.map(({ resource, change, by, request_id, external_id }: Record<string, unknown>) => [
          ...[resource, change, by, request_id, external_id],
        ]),
        ['J-1', null].map(externalId => [
          'clients',
          'created',
          { type: 'api_user', id: me.api_user.id },
          'import-7',
          externalId,
        ]),
      );
      assert.ok(accepted.body.id > 0);
    });

    it('is started once with an Idempotency-Key, of which dry runs before and after it take no notice', async () => {
      const ask = (query = '') =>
        client.call('POST', `/clients/import${query}`, {
          body: '{"company": "Once"}\n',
          headers: { 'Content-Type': 'application/x-ndjson', 'Idempotency-Key': 'import-once' },
        });
      const rehearsed = [await ask('?dry_run=true'), await ask('?dry_run=true')];
      const first = await ask();
      const again = await ask();
      assert.deepEqual([again.text, again.headers['idempotency-replayed']], [first.text, 'true']);
      rehearsed.push(await ask('?dry_run=true'));
      assert.equal(new Set([first, ...rehearsed].map(({ body }) => body.id)).size, 4);
      for (const { status, headers } of rehearsed)
        assert.deepEqual([status, headers['idempotency-replayed']], [202, undefined]);
      await importer.work(client);
      assert.deepEqual((await companies('&company=Once')).length, 1);
    });

    it('keeps the content until the rows are written, and the results longer', async () => {
      const accepted = await send(client, '/clients/import', [{ company: 'Kept' }]);
      const stored = async () => {
        const keys = [];
        for await (const { key } of app.files.store.list(client.tenant.id)) keys.push(key);
        return keys.length;
      };
      assert.equal(await stored(), 1);
      await importer.work(client);
      assert.equal(await stored(), 0);
      const csv = await client.call('GET', `/imports/${accepted.body.id}/results.csv`);
      assert.match(csv.text, /^line,id,external_id,result,errors,warnings\r\n1,\d+,,created,\[\],\[\]\r\n$/);
      const ndjson = await client.call('GET', `/imports/${accepted.body.id}/results.ndjson?result=failed`);
      assert.deepEqual([ndjson.status, ndjson.text], [200, '']);
      const page = await client.call('GET', `/imports/${accepted.body.id}/results?limit=1&count=true&fields=line`);
      assert.deepEqual([page.body, page.headers['x-total-count']], [[{ line: 1 }], '1']);
    });
  });

  describe('an import', () => {
    it('has references by external id, and finds what earlier imports and rows have created', async () => {
      const clients = await send(client, '/clients/import', [{ company: 'First', external_id: 'R-1' }]);
      const contacts = await send(
        client,
        '/contacts/import',
        'external_id,lastname,client.external_id\nK-1,Ada,R-1\nK-2,Bo,R-9\n',
      );
      await importer.work(client);
      const { body: results } = await client.call('GET', `/imports/${contacts.body.id}/results`);
      assert.deepEqual(short(results), [
        [2, 'created'],
        [3, 'failed', 'client reference_not_found'],
      ]);
      const { body: one } = await client.call('GET', '/clients/external/R-1');
      assert.equal((await client.call('GET', '/contacts/external/K-1')).body.client_id, one.id);
      assert.ok(clients.body.id !== contacts.body.id);
    });

    it('applies the rules of POST, with force in place of it', async () => {
      const scene = new Scene(client);
      const shift = await scene.create('event-functions');
      const { body: event } = await client.call('GET', `/event-functions/${shift}?fields=event_id`);
      const employee = await scene.create('employees', { qualifications: [] });
      const other = await scene.create('event-functions', { event_id: event.event_id, required_qualifications: [] });
      await client.call('POST', '/assignments', {
        body: { employee_id: employee, event_function_id: other, status: 6 },
      });
      const row = [{ external_id: 'F-1', employee_id: employee, event_function_id: shift, status: 6 }];
      const refused = await importer.import(client, '/assignments/import', row);
      assert.equal(refused.results[0].result, 'failed');
      const forced = await importer.import(client, '/assignments/import?force=true', row);
      assert.deepEqual(short(forced.results), [[1, 'created']]);
    });

    it('is refused for a read-only API user, and ends if the API user has become one', async () => {
      const reader = { ...client, token: client.readOnlyToken, tenant: client.tenant };
      const refused = await app.callAs(reader, 'POST', '/clients/import', { body: Buffer.from('{}\n') });
      assert.equal(refused.body.code, 'read_only_user');
      const accepted = await send(client, '/clients/import', [{ company: 'Never' }]);
      const { body: me } = await client.call('GET', '/me');
      const setReadOnly = (value: boolean) =>
        client.database.asOwner(client.tenant.id, ({ kysely }) =>
          kysely.updateTable('api_users').set({ read_only: value }).where('id', '=', me.api_user.id).execute(),
        );
      await setReadOnly(true);
      await importer.work(client);
      await setReadOnly(false);
      const { body } = await client.call('GET', `/imports/${accepted.body.id}`);
      assert.deepEqual([body.status, body.rows, typeof body.error], ['failed', 0, 'string']);
      assert.deepEqual(await companies('&company=Never'), []);
    });

    it('is another tenant’s secret', async () => {
      const accepted = await send(client, '/clients/import', [{ company: 'Own' }]);
      const other = await app.newClient();
      for (const path of ['', '/results'])
        assert.equal((await other.call('GET', `/imports/${accepted.body.id}${path}`)).status, 404);
      await importer.work(client);
    });
  });
});
