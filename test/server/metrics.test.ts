import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { createWebhooks } from '../../src/automations/webhook.ts';
import type { Finished } from '../../src/http/request/log.ts';
import { createMetrics, type Metrics } from '../../src/server/metrics/metrics.ts';
import { forAnyApp } from '../support/for-each-app.ts';

let metrics: Metrics;
const observe = (request: Finished) => metrics.observe(request);

const text = async (): Promise<string> => {
  const request = {
    method: 'GET',
    path: '/metrics',
    target: '/metrics',
    headers: {},
    rawHeaders: [],
    body: new Uint8Array(),
    address: '127.0.0.1',
    secure: false,
  };
  return String((await metrics.routes['GET /metrics']?.(request))?.body);
};
/** The value of a series, by its name and labels as printed; 0 if there is none. */
const valueIn = (printed: string, series: string): number =>
  Number(
    printed
      .split('\n')
      .find(line => line.startsWith(`${series} `))
      ?.split(' ')[1] ?? 0,
  );
const seriesOf = (printed: string): string[] =>
  printed
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => line.replace(/ [^ ]+$/, ''));

forAnyApp(
  (client, app) => {
    before(() => {
      metrics = createMetrics({ database: client.database, prepared: () => true, version: '1.2.3' });
    });

    describe('the metrics', () => {
      it('count requests by operation and status, and their duration by operation', async () => {
        await client.call('GET', '/clients?limit=1');
        await client.call('GET', '/clients/987654321');
        await client.call('GET', '/clients/987654322');
        await client.call('GET', '/nothing');
        const printed = await text();
        const wanted: [series: string, value: number][] = [
          ['staffing_requests_total{operation="clients_list",status="200"}', 1],
          ['staffing_requests_total{operation="clients_read",status="404"}', 2],
          ['staffing_requests_total{operation="",status="404"}', 1],
          ['staffing_request_duration_seconds_count{operation="clients_read"}', 2],
        ];
        for (const [series, value] of wanted) assert.equal(valueIn(printed, series), value, series);
        assert.ok(valueIn(printed, 'staffing_request_duration_seconds_sum{operation="clients_read"}') > 0);
      });

      it('have no more series after 1,000 requests to random paths', async () => {
        await client.call('GET', '/nothing/0');
        await client.call('GET', '/clients/0');
        await client.call('GET', '/clients/4711');
        const before = seriesOf(await text()).filter(line => line.startsWith('staffing_request'));
        for (let sent = 0; sent < 1_000; sent += 100)
          await Promise.all(
            Array.from({ length: 100 }, (_, index) => {
              const path = `${index % 2 ? '/clients' : '/nothing'}/${1_000_000 + sent + index}`;
              return app.callAs({ tenant: client.tenant, token: '' }, 'GET', path);
            }),
          );
        const after = seriesOf(await text()).filter(line => line.startsWith('staffing_request'));
        const added = after.filter(line => !before.includes(line));
        // The one status that the requests before did not have.
        assert.deepEqual(
          added.filter(line => !line.includes('401')),
          [],
        );
        assert.ok(added.length <= 1, added.join('\n'));
      });

      it('count changes, look-ups in caches and webhooks', async () => {
        const before = await text();
        const { body } = await client.call('POST', '/clients', { body: { company: 'Metrics GmbH' } });
        await client.call('PUT', `/clients/${body.id}`, { body: { city: 'Kiel' } });
        const send = createWebhooks({ timeout: 1000, networks: [], http: false });
        const message = { headers: {}, id: 'a', timestamp: new Date(), payload: '{}', secrets: [] };
        await send({ ...message, url: 'https://127.0.0.1/' });
        const after = await text();
        const grown = (series: string) => valueIn(after, series) - valueIn(before, series);
        assert.equal(grown('staffing_changes_total{change="created"}'), 1);
        assert.equal(grown('staffing_changes_total{change="updated"}'), 1);
        assert.equal(grown('staffing_webhooks_total{result="target_refused"}'), 1);
        for (const cache of ['callers', 'fields'])
          assert.ok(grown(`staffing_cache_hits_total{cache="${cache}"}`) > 0, cache);
      });

      it('show the connections, the jobs, the event loop, the memory and the version', async () => {
        await client.database.queue.executeSql(
          `insert into jobs.job (name, data) values ('deliveries', '{"tenant_id": 0, "delivery_id": 0}')`,
        );
        const printed = await text();
        const used = valueIn(printed, 'staffing_database_connections{state="used"}');
        const free = valueIn(printed, 'staffing_database_connections{state="free"}');
        assert.equal(used + free, client.database.usage().places);
        assert.ok(free > 0);
        assert.equal(valueIn(printed, 'staffing_database_waiting'), 0);
        assert.ok(valueIn(printed, 'staffing_jobs{state="created"}') > 0);
        assert.ok(valueIn(printed, 'process_resident_memory_bytes') > 0);
        assert.match(printed, /^nodejs_eventloop_lag_p99_seconds /m);
        assert.equal(valueIn(printed, `staffing_info{version="1.2.3",database="${client.database.kind}"}`), 1);
        await client.database.queue.executeSql(
          `delete from jobs.job where data = '{"tenant_id": 0, "delivery_id": 0}'`,
        );
      });

      it('are those that the dashboard shows and the documentation explains', async () => {
        const printed = await text();
        const names = new Set([...printed.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => String(name)));
        const dashboard = readFileSync('docs/grafana-dashboard.json', 'utf8');
        const manual = readFileSync('docs/operations.md', 'utf8');
        const shown = JSON.parse(dashboard).panels.flatMap(({ targets = [] }: { targets?: { expr: string }[] }) =>
          targets.flatMap(({ expr }) => expr.match(/\b(?:staffing|nodejs|process)_\w+/g) ?? []),
        );
        assert.ok(shown.length > 10);
        for (const name of shown) assert.ok(names.has(name.replace(/_(?:bucket|sum|count)$/, '')), name);
        for (const name of names) if (name.startsWith('staffing_')) assert.ok(manual.includes(`\`${name}\``), name);
      });
    });
  },
  { observe },
);
