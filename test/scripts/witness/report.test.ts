import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Difference } from '../../../scripts/witness/compare.ts';
import { type Allowance, isAllowed, Report } from '../../../scripts/witness/report.ts';
import type { Step } from '../../../scripts/witness/step.ts';

const step: Step = {
  kind: 'request',
  operation: 'clients_read',
  purpose: 'success',
  port: 'api',
  method: 'GET',
  target: '/api/v1/clients/1',
  headers: {},
};
const status: Difference = { where: 'status', what: 'status', before: '404', after: '422' };
const header: Difference = { where: 'header', what: 'etag', before: '"1"', after: '"2"' };
const body: Difference = { where: 'body', what: '/*/name', before: 'a', after: 'b' };
const why = 'wanted';

describe('a list of allowed differences', () => {
  const cases: [allowance: Allowance, difference: Difference, allowed: boolean][] = [
    [{ why, operation: 'clients_read' }, body, true],
    [{ why, operation: 'clients_list' }, body, false],
    [{ why, purpose: 'success', header: 'etag' }, header, true],
    [{ why, purpose: 'HEAD', header: 'etag' }, header, false],
    [{ why, header: 'etag' }, status, false],
    [{ why, status: '404 422' }, status, true],
    [{ why, status: '404 400' }, status, false],
    [{ why, status: '404 422' }, body, false],
    [{ why, bodyPath: '/*/name' }, body, true],
    [{ why, bodyPath: '**/name' }, body, true],
    [{ why, bodyPath: '/*/id' }, body, false],
    [{ why, bodyPath: 'etag' }, header, false],
  ];
  for (const [allowance, difference, allowed] of cases) {
    it(`${allowed ? 'allows' : 'does not allow'} ${JSON.stringify(difference)} by ${JSON.stringify(allowance)}`, () =>
      assert.equal(isAllowed([allowance], step, difference), allowed));
  }
});

describe('a report', () => {
  it('groups differences by kind, the most frequent first, and shows some of each', () => {
    const report = new Report(1);
    for (const [number, difference] of [status, header, header].entries()) report.add(number, step, difference);
    assert.deepEqual(report.lines(), [
      'header etag: 2',
      '    #1 clients_read, success: GET /api/v1/clients/1\n      before: "1"\n      after:  "2"',
      'status 404 → 422: 1',
      '    #0 clients_read, success: GET /api/v1/clients/1',
    ]);
  });
});
