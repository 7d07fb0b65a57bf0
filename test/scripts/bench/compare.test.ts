import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { BenchTenant } from '../../../scripts/bench/data.ts';
import { planOf } from '../../../scripts/bench/floor/plans.ts';
import { withKeys } from '../../../scripts/bench/floor/sent.ts';
import { textOf } from '../../../scripts/bench/floor/statements.ts';
import { WireOutput, writerOf } from '../../../scripts/bench/floor/wire/output.ts';
import { jsonOf, type Measured, median, tableOf, withRatios } from '../../../scripts/bench/report.ts';
import { askedTenants, type Workload } from '../../../scripts/bench/workloads/workload.ts';
import { workloads } from '../../../scripts/bench/workloads/workloads.ts';

const one = (contestant: string, cpuMs: number | null): Measured => ({
  ...{ workload: 'read', contestant, ownMs: 1, cpuMs, requestsPerSecond: 200, p50Ms: 2, p99Ms: 3, rssMiB: 150 },
});

describe('the report of the benchmark', () => {
  test('has the CPU of each contestant against that of the floors', () => {
    const rows = withRatios([one('server', 3), one('floor', 2), one('wire floor', 1.5)]);
    assert.deepEqual(
      rows.map(({ ratioToFloor, ratioToWireFloor }) => [ratioToFloor, ratioToWireFloor]),
      [
        [1.5, 2],
        [1, 2 / 1.5],
        [0.75, 1],
      ],
    );
  });

  test('has no ratios where the database is on another machine', () => {
    const [row] = withRatios([one('server', null), one('floor', null)]);
    assert.equal(row?.ratioToFloor, null);
    assert.match(tableOf(withRatios([one('server', null)]))[1] ?? '', /^read +server +– /);
  });

  test('is JSON with one row for each contestant and workload', () => {
    const { rows } = JSON.parse(jsonOf(withRatios([one('floor', 2)])));
    assert.deepEqual(rows, [
      {
        ...{ workload: 'read', contestant: 'floor', cpuMs: 2, requestsPerSecond: 200, p50Ms: 2, p99Ms: 3, rssMiB: 150 },
        ...{ ratioToFloor: 1, ratioToWireFloor: null },
      },
    ]);
  });

  test('has medians', () => {
    assert.equal(median([3, 1, 2]), 2);
    assert.equal(median([4, 1, 3, 2]), 2.5);
  });
});

const tenants = [1, 2].map(id => ({
  ...{ id, host: `t${id}`, token: 'a.b.c', apiUser: 1, size: 1000 * id },
  assignments: Array.from({ length: 1000 * id }, (_, index) => index + 1),
  changeable: Array.from({ length: 100 }, (_, index) => index + 1),
}));
const ids = Array.from({ length: 5000 }, (_, index) => index + 1);
const listed: BenchTenant = {
  ...{ id: 3, host: 't3', token: 'a.b.c', apiUser: 1, size: 200_000, assignments: ids, changeable: [] },
  listed: {
    ...{ eventFunctions: ids, events: ids, employees: ids, clients: ids.slice(0, 300) },
    begins: [1_780_000_000, 1_790_000_000],
    changes: [1_780_000_000, 1_780_100_000],
  },
};
const sentBy = (workload: Workload, count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) =>
    JSON.stringify(
      workload
        .requests(n, askedTenants(workload, [...tenants, listed]))
        .map(({ tenant, ...request }) => [tenant.id, request]),
    ),
  );

test('requests differ from number to number, so that no cache of responses helps, but in `repeat`, `notmod` and `whole`', () => {
  for (const [name, workload] of Object.entries(workloads)) {
    const same = ['repeat', 'notmod', 'whole'].includes(name);
    const { size } = new Set(sentBy(workload, 20));
    assert.ok(same ? size === 1 : size > 18, name);
    if (workload.listed) assert.equal(new Set(sentBy(workload, 4000)).size, 4000, name);
  }
});

test('each listing with filters has statements of the floors in its tenant: keys planned for its values, a slot for each', () => {
  for (const [name, workload] of Object.entries(workloads)) {
    if (!workload.listed || name === 'by-page') continue;
    const [{ path = '' } = {}] = workload.requests(5, [listed]);
    const { keys, rows, tenant } = planOf('GET', `/api/v1${path}`, listed, null) ?? {};
    assert.ok(keys && rows && tenant === listed.id, name);
    assert.match(keys.statement, / by /, name);
    assert.ok(keys.unnamed, name);
    for (const { statement, values } of [keys, withKeys(rows, [])]) {
      const slots = textOf(statement).match(/\$\d/g) ?? [];
      assert.equal(Math.max(...slots.map(slot => Number(slot.slice(1)))), values.length, name);
    }
  }
});

test('the wire floor writes texts and JSON of the database as JSON.stringify does', () => {
  const written = (type: number, text: string): string => {
    const [out, bytes] = [new WireOutput(), Buffer.from(text)];
    writerOf(type)(out, bytes, 0, bytes.length, 0);
    return out.written.toString();
  };
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), text => assert.equal(written(25, text), JSON.stringify(text))),
  );
  const json = fc.jsonValue({ noUnicodeString: false, maxDepth: 4 });
  fc.assert(
    fc.property(json, value => {
      // Postgres returns no number with an exponent or as minus zero.
      const text = JSON.stringify(value, (_, part) => (typeof part === 'number' ? Math.trunc(part % 1e6) || 0 : part));
      const spaced = text.replaceAll(/("(?:[^"\\]|\\.)*")|([:,])/g, (_, string, mark) => string ?? `${mark} `);
      assert.equal(written(3802, spaced), JSON.stringify(JSON.parse(text), null, 2));
    }),
  );
  assert.deepEqual(
    ['12.50', '3.00', '100', '0.10'].map(text => written(1700, text)),
    ['12.5', '3', '100', '0.1'],
  );
});
