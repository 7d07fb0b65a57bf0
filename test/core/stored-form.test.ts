import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toStoredForm } from '../../src/core/stored-form.ts';

const name = { type: 'string', 'x-lines': 'one' } as const;
const nullable = { type: 'null' } as const;

describe('toStoredForm', () => {
  const cases: [label: string, schema: object, value: string, stored: string | null][] = [
    ['an empty string is null where null is possible', { anyOf: [name, nullable] }, ' ', null],
    [
      'also where the string is one of several alternatives',
      { anyOf: [{ anyOf: [{ type: 'integer' }, name] }, nullable] },
      '',
      null,
    ],
    ['and stays elsewhere', name, ' ', ''],
    ['a string is normalised', { anyOf: [{ anyOf: [{ type: 'integer' }, name] }, nullable] }, ' de ', 'de'],
  ];
  for (const [label, schema, value, stored] of cases)
    it(label, () => assert.equal(toStoredForm(schema, value), stored));
});
