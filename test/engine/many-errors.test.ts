import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forAnyApp } from '../support/for-each-app.ts';

const limit = 1_048_576;

/** A body just below the limit: `part`, or what it returns for each number, as often as it fits between `open` and `close`. */
const filled = (open: string, part: string | ((index: number) => string), close: string): string => {
  const parts: string[] = [];
  for (let size = open.length + close.length; ; ) {
    const next = typeof part === 'string' ? part : part(parts.length);
    size += next.length + 1;
    if (size > limit) return open + parts.join(',') + close;
    parts.push(next);
  }
};

const project = '{"name":"P",';

const bodies: readonly [label: string, path: string, body: string][] = [
  ['unknown members', '/projects', filled(project, index => `"k${index}":1`, '}')],
  ['unknown members with escapes', '/projects', filled(project, index => `"\\u006b${index}":1`, '}')],
  ['unknown members of an object', '/projects', filled(`${project}"configurations":{`, index => `"k${index}":1`, '}}')],
  ['nulls in an array', '/projects', filled(`${project}"reporting_form_ids":[`, 'null', ']}')],
  ['objects in an array', '/projects', filled(`${project}"reporting_form_ids":[`, '{}', ']}')],
  ['different items', '/projects', filled(`${project}"reporting_form_ids":[`, index => `"a${index}"`, ']}')],
  ['items without members', '/wage-profiles', filled('{"name":"W","wage_types":[', '{}', ']}')],
  ['items with unknown members', '/wage-profiles', filled('{"name":"W","wage_types":[', '{"a":1}', ']}')],
  ['items of an alternative', '/availability-requests-definitions', filled('{"rules":[', '{}', ']}')],
  [
    'items that are wrong all over',
    '/availability-requests-definitions',
    filled('{"time_slots":[', '{"id":{},"name":1,"category":[],"week_days":[{},{}],"from":1,"to":2}', ']}'),
  ],
  ['items of a derived list', '/paysheets', filled('{"assignment_id":1,"lines":[', '{}', ']}')],
];

forAnyApp(client => {
  describe('a body of a mebibyte with very many errors', () => {
    for (const [label, path, body] of bodies)
      it(`gets a short response: ${label}`, async () => {
        const headers = { 'Content-Type': 'application/json' };
        const { status, body: failure, text } = await client.call('POST', path, { body, headers });
        assert.equal(status, 422, text);
        assert.equal(failure.errors.length, 101);
        const last = failure.errors.at(-1);
        assert.equal(last.code, 'too_many_errors');
        assert.ok(last.count > 100);
        assert.equal(last.message, `There are at least ${last.count} errors, of which 100 are listed.`);
        assert.ok(text.length < 50_000, String(text.length));
      });

    it('is told the number of its unknown members', async () => {
      const body = Object.fromEntries(Array.from({ length: 90_000 }, (_, index) => [`k${index}`, 1]));
      const { body: failure } = await client.call('POST', '/projects', { body: { ...body, name: 'P' } });
      assert.equal(failure.errors.at(-1).count, 90_000);
    });
  });
});
