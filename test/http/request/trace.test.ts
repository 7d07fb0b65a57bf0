import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { traceOf } from '../../../src/http/request/receive.ts';
import { forAnyApp } from '../../support/for-each-app.ts';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const parent = '00f067aa0ba902b7';
const known = { trace_id: trace, parent_id: parent };

describe('a traceparent header', () => {
  const cases: [header: string | string[] | undefined, want: typeof known | null][] = [
    [`00-${trace}-${parent}-01`, known],
    [`00-${trace}-${parent}-00`, known],
    [`cc-${trace}-${parent}-01-what-comes-later`, known],
    [undefined, null],
    ['', null],
    [`ff-${trace}-${parent}-01`, null],
    [`00-${'0'.repeat(32)}-${parent}-01`, null],
    [`00-${trace}-${'0'.repeat(16)}-01`, null],
    [`00-${trace.toUpperCase()}-${parent}-01`, null],
    [`00-${trace}-${parent}`, null],
    [`00-${trace}-${parent}-01"}\n{"level":60`, null],
    [[`00-${trace}-${parent}-01`, `00-${trace}-${parent}-01`], null],
  ];
  for (const [header, want] of cases)
    it(`${JSON.stringify(header)} ${want ? 'is a place in a trace' : 'counts as none'}`, () =>
      assert.deepEqual(traceOf(header), want));
});

forAnyApp((client, app) => {
  it('is in the log line of its request', async () => {
    const id = 'traced-request';
    const headers = { traceparent: `00-${trace}-${parent}-01`, 'X-Request-Id': id };
    await client.call('GET', '/clients?limit=1', { headers });
    await client.call('GET', '/clients?limit=1', { headers: { 'X-Request-Id': 'untraced-request' } });
    const line = (id: string) => JSON.parse(app.logs.find(line => line.includes(`"${id}"`)) ?? '{}');
    assert.deepEqual([line(id).trace_id, line(id).parent_id], [trace, parent]);
    assert.equal(line('untraced-request').trace_id, undefined);
  });
});
