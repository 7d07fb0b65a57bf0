import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareResults } from '../../../scripts/witness/compare.ts';
import type { StepResult } from '../../../scripts/witness/step.ts';

const result = (body: unknown, headers: Record<string, string> = {}, status = 200): StepResult => ({
  status,
  headers: Object.entries(headers),
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const token = `eyJ${'a'.repeat(20)}.${'b'.repeat(20)}.${'c'.repeat(20)}`;
const uuid = (digit: string) => [8, 4, 4, 4, 12].map(length => digit.repeat(length)).join('-');

describe('two results of the same step', () => {
  const same: [name: string, before: StepResult, after: StepResult][] = [
    ['are the same', result({ a: 1 }, { ETag: '"x"' }), result({ a: 1 }, { etag: '"x"' })],
    ['have been sent at another time', result({}, { Date: 'today' }), result({}, { Date: 'tomorrow' })],
    [
      'hold another random id, which changes tag and length',
      result({ name: uuid('1') }, { ETag: '"1"', 'Content-Length': '9' }),
      result({ name: uuid('2') }, { ETag: '"2"', 'Content-Length': '8' }),
    ],
    ['hold another token', result(`Token:\n${token}`), result(`Token:\n${token}x`)],
    [
      'are compressed in another way',
      result({}, { 'Content-Encoding': 'gzip', 'Content-Length': '9' }),
      result({}, { 'Content-Encoding': 'gzip', 'Content-Length': '8' }),
    ],
    ['have another cursor', result({}, { Link: '</x?cursor=ab>' }), result({}, { Link: '</x?cursor=cd>' })],
  ];
  for (const [name, before, after] of same) {
    it(`do not differ: they ${name}`, () => assert.deepEqual(compareResults(before, after), []));
  }

  const different: [name: string, before: StepResult, after: StepResult, found: readonly string[]][] = [
    ['status', result({}), result({}, {}, 404), ['status status 200 404']],
    ['header', result({}, { ETag: '"1"' }), result({}, { ETag: '"2"' }), ['header etag "1" "2"']],
    ['missing header', result({}, { Allow: 'GET' }), result({}), ['header allow GET nothing']],
    [
      'header sent twice',
      result({}, { Vary: 'a' }),
      {
        ...result({}),
        headers: [
          ['Vary', 'a'],
          ['Vary', 'a'],
        ],
      },
      ['header vary a a, a'],
    ],
    [
      'length',
      result('ab', { 'Content-Length': '2' }),
      result('ab', { 'Content-Length': '3' }),
      ['header content-length 2 3'],
    ],
    ['value', result({ list: [{ a: 1 }, { a: 2 }] }), result({ list: [{ a: 1 }, { a: 3 }] }), ['body /list/*/a 2 3']],
    ['item', result([1, 2]), result([1]), ['body /* 2 nothing']],
    ['field', result({ a: 1 }), result({ a: 1, b: null }), ['body /b nothing null']],
    ['order of fields', result({ a: 1, b: 2 }), result({ b: 2, a: 1 }), ['body / (order) a,b b,a']],
    [
      'field and another',
      result([
        { a: 1, b: 1 },
        { a: 1, b: 1 },
      ]),
      result([
        { a: 2, b: 1 },
        { a: 3, b: 2 },
      ]),
      ['body /*/a 1 2', 'body /*/b 1 2'],
    ],
    ['type', result({ a: [] }), result({ a: {} }), ['body /a [] {}']],
    ['layout', result('{"a":1}'), result('{"a": 1}'), ['body text {"a":1} {"a": 1}']],
    ['text', result('<a>1</a>'), result('<a>2</a>'), ['body text <a>1</a> <a>2</a>']],
    ['end of a text', result('<a>'), result('<a></a>'), ['body text <a> <a></a>']],
  ];
  for (const [name, before, after, found] of different) {
    it(`differ in a ${name}`, () => {
      const differences = compareResults(before, after);
      assert.deepEqual(
        differences.map(({ where, what, before: old, after: now }) => `${where} ${what} ${old} ${now}`),
        found,
      );
    });
  }
});
