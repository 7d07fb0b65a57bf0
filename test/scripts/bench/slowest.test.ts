import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resources } from '../../../generated/resources.ts';
import { summaryOf } from '../../../scripts/bench/slowest/report.ts';
import { shapesOf } from '../../../scripts/bench/slowest/shapes.ts';
import { isFailure, isViolation, type Walked, walk } from '../../../scripts/bench/slowest/walk.ts';
import { ApiError } from '../../../src/core/errors.ts';
import { fieldsOf } from '../../../src/core/resource/fields.ts';
import { newTenant, testDatabase } from '../../support/database.ts';

describe('the walk of the slowest', () => {
  it('asks each listing for every sort, every embed and filters of every field', () => {
    for (const resource of Object.values(resources)) {
      const labels = shapesOf(fieldsOf<string>(resource), new Map()).map(({ label }) => label);
      for (const { name, type } of resource.fields) {
        assert.ok(labels.includes(`/${resource.name}?${name}=null`));
        if (type === 'json') continue;
        for (const asked of [`sort=${name}`, `sort=-${name}&cursor=`, `${name}=none`])
          assert.ok(labels.includes(`/${resource.name}?${asked}`), asked);
      }
      for (const { short } of resource.relations) assert.ok(labels.includes(`/${resource.name}?embed=${short}`));
    }
  });

  it('asks for values that records have; runs each ten times, and none fails', async () => {
    const database = await testDatabase('postgres');
    const tenant = await newTenant(database);
    await database.asOwner(tenant.id, ({ send }) =>
      send({
        name: null,
        text: `insert into projects (tenant_id, id, name) values (${tenant.id}, 1, 'Fair') returning id as journal_id`,
        values: [],
      }),
    );
    const all: Walked[] = [];
    for await (const walked of walk(database, tenant, ['projects', 'gaps'])) all.push(walked);
    assert.ok(all.length > 100);
    for (const asked of ['id=>some', 'name=some', 'name=~some', 'created_at=<some'])
      assert.ok(
        all.some(({ label }) => label === `/projects?${asked}`),
        asked,
      );
    for (const { label, runs } of all) assert.ok(runs.length === 10 && runs.every(Number.isFinite), label);
  });

  it('takes the rejection of a request for no failure', () => {
    assert.equal(isFailure(new ApiError('embed_too_large', { message: 'Too many.' })), false);
    assert.equal(isFailure(new ApiError('service_unavailable', { message: 'Busy.' })), true);
    assert.equal(isFailure(new Error('canceling statement due to statement timeout')), true);
  });

  it('names what takes too long in any run: 50 ms, with `~` 150; embeds aside', () => {
    const shapes: readonly [label: string, slowest: number, named: boolean][] = [
      ['/x?sort=a', 51, true],
      ['/x?sort=b', 50, false],
      ['/x?c=none', 51, true],
      ['/x?d=~none', 150, false],
      ['/x?e=~none', 151, true],
      ['/x?embed=y', 500, false],
    ];
    const lines = summaryOf(shapes.map(([label, slowest]) => ({ label, runs: [slowest, 40] })));
    const from = lines.findIndex(line => line.startsWith('Any run over'));
    assert.match(lines[from] ?? '', /: 3$/);
    for (const [label, , named] of shapes)
      assert.equal(
        lines.slice(from, from + 4).some(line => line.includes(`${label}:`)),
        named,
        label,
      );
  });

  const cases: readonly [runs: readonly number[], violation: boolean][] = [
    [[10, 12, 49, 11], false],
    [[10, 12, 51, 11], true],
    [[1, 19], false],
    [[1, 21], true],
    [[600, 600], false],
    [[4, 4, Number.POSITIVE_INFINITY], true],
    [[Number.POSITIVE_INFINITY], true],
  ];
  for (const [runs, violation] of cases)
    it(`takes ${runs} ms for ${violation ? 'a violation' : 'none'}`, () => {
      const walked = { label: '/x', runs };
      assert.equal(isViolation(walked), violation);
      assert.equal(summaryOf([walked]).at(-1)?.includes('/x'), violation);
    });
});
