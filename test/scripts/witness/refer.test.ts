import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { refer, resolve } from '../../../scripts/witness/refer.ts';
import type { StepResult } from '../../../scripts/witness/step.ts';

const token = `eyJ${'a'.repeat(20)}.${'b'.repeat(20)}.${'c'.repeat(20)}`;
const results: readonly (StepResult | undefined)[] = [
  { status: 0, headers: [], body: `Its token:\n\n${token}\n\nTry:` },
  {
    status: 200,
    headers: [
      ['ETag', '"tag"'],
      ['Link', '</api/v1/clients?limit=2&cursor=next>; rel="next"'],
    ],
    body: '[{"id":7,"contact.id":8,"list":[]}]',
  },
  undefined,
];

describe('a reference to an earlier result', () => {
  const cases: [reference: string, text: string][] = [
    [refer(0, 'token'), token],
    [refer(1, 'token'), 'missing'],
    [refer(1, 'cursor'), 'next'],
    [refer(1, 'header:etag'), '"tag"'],
    [refer(1, 'body'), '[{"id":7,"contact.id":8,"list":[]}]'],
    [refer(1, 'body:/0/id'), '7'],
    [refer(1, 'body:/0/contact.id'), '8'],
    [refer(1, 'body:/0/list'), 'missing'],
    [refer(1, 'body:/1/id'), 'missing'],
    [refer(0, 'body:/id'), 'missing'],
    [refer(2, 'body'), 'missing'],
    [refer(9, 'body'), 'missing'],
    [`/clients/${refer(1, 'body:/0/id')}?a=${refer(1, 'cursor')}`, '/clients/7?a=next'],
    ['{"a":{}}', '{"a":{}}'],
  ];
  for (const [reference, text] of cases) {
    it(`${reference} stands for ${text}`, () => assert.equal(resolve(reference, results), text));
  }
});
