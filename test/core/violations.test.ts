import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { FieldError } from '../../src/core/errors.ts';
import { dateTimeExpected, dateTimePattern } from '../../src/core/time.ts';
import { ajv } from '../../src/core/validator.ts';
import { toFieldErrors } from '../../src/core/violations.ts';
import { document } from '../http/support/document.ts';

const validate = ajv.compile({
  type: 'object',
  properties: {
    ...document.components.schemas.Times.properties,
    rate: { type: ['number', 'null'], exclusiveMinimum: 0 },
    phone: { type: 'string', pattern: '^\\d+$' },
    items: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        properties: { id: { type: 'integer' } },
        required: ['id'],
        unevaluatedProperties: false,
      },
    },
    setting: { anyOf: [{ type: 'object', properties: { a: { type: 'integer' } } }, { type: 'null' }] },
    chosen: { type: 'array', uniqueItems: true },
    choice: {
      anyOf: [
        { type: 'integer', minimum: 1 },
        { type: 'string', pattern: '^.*$' },
      ],
    },
    both: { oneOf: [{ type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] }, { type: 'string' }] },
  },
  additionalProperties: false,
});

/** Invalid fields and their codes. */
const of = (body: unknown): [string, string][] => {
  validate(body);
  return toFieldErrors(validate.errors ?? []).map(({ field, code }) => [field, code]);
};

describe('toFieldErrors', () => {
  const cases: [body: object, want: [string, string][]][] = [
    [{}, []],
    [{ start: null, kind: 'a' }, []],
    [
      { x: 1, y: 2 },
      [
        ['x', 'unknown_field'],
        ['y', 'unknown_field'],
      ],
    ],
    [JSON.parse('{"__proto__":1}'), [['__proto__', 'unknown_field']]],
    [{ minutes: '1' }, [['minutes', 'invalid_type']]],
    [{ minutes: null }, [['minutes', 'not_empty']]],
    [{ minutes: 11 }, [['minutes', 'out_of_range']]],
    [{ rate: 0 }, [['rate', 'out_of_range']]],
    [{ rate: 'a' }, [['rate', 'invalid_type']]],
    [{ start: 1 }, [['start', 'invalid_type']]],
    [{ start: 'tomorrow' }, [['start', 'invalid_format']]],
    [{ phone: 'x' }, [['phone', 'invalid_format']]],
    [{ remarks: '' }, [['remarks', 'not_empty']]],
    [{ remarks: 'abcdef' }, [['remarks', 'too_long']]],
    [{ choice: 'a\nb' }, [['choice', 'invalid_format']]],
    [{ choice: 0 }, [['choice', 'out_of_range']]],
    [{ choice: true }, [['choice', 'invalid_type']]],
    [{ kind: 'c' }, [['kind', 'not_in_enumeration']]],
    [{ kind: null }, [['kind', 'not_empty']]],
    [{ ids: [1, 2, 3] }, [['ids', 'too_many_items']]],
    [{ ids: [1, 'a'] }, [['ids.1', 'invalid_type']]],
    [{ items: [] }, [['items', 'not_empty']]],
    [
      { items: [{}, { id: 1, 'a/b~c': 1 }] },
      [
        ['items.0.id', 'not_empty'],
        ['items.1.a/b~c', 'unknown_field'],
      ],
    ],
    [{ setting: { a: 'x' } }, [['setting.a', 'invalid_type']]],
    [{ setting: [] }, [['setting', 'invalid_type']]],
    [{ both: 1 }, [['both', 'invalid_type']]],
  ];
  for (const [body, want] of cases) {
    it(`reports ${JSON.stringify(body)}`, () => assert.deepEqual(of(body), want));
  }

  it('reports all invalid fields at once, each once, and stops after some hundreds', () => {
    assert.deepEqual(
      of({ minutes: 'a', kind: 'c', remarks: '', z: 1 })
        .map(([field]) => field)
        .sort(),
      ['kind', 'minutes', 'remarks', 'z'],
    );
    const many = of(Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`x${index}`, 1]))).length;
    assert.ok(many > 100 && many < 500, String(many));
  });

  it('makes a bounded number of errors, in each kind of loop over the parts of a value', () => {
    const item = { type: 'object', required: ['a', 'b'], properties: { a: { type: 'string' } } };
    const numbered = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, {}]));
    const items = Object.values(numbered);
    const cases: [schema: object, value: unknown][] = [
      [{ additionalProperties: false }, numbered],
      [{ additionalProperties: item }, numbered],
      [{ unevaluatedProperties: false, allOf: [{ properties: { a: {} } }] }, numbered],
      [{ patternProperties: { '^k': item } }, numbered],
      [{ propertyNames: { maxLength: 1 } }, numbered],
      [{ items: item }, items],
      [{ items: { anyOf: [item, { type: 'null' }] } }, items],
      [{ items: { $ref: '#/$defs/item' }, $defs: { item } }, items],
      [{ prefixItems: [{ type: 'null' }], items: item }, items],
      [{ properties: { k1: { items: { items: item } } } }, { k1: [items, items] }],
    ];
    for (const [schema, value] of cases) {
      const check = ajv.compile(schema);
      assert.equal(check(value), false, JSON.stringify(schema));
      const { length } = check.errors ?? [];
      assert.ok(length >= 200 && length < 1000, `${length} errors of ${JSON.stringify(schema)}`);
    }
  });

  it('knows the pattern of date-times of the document', () => {
    const { components } = JSON.parse(readFileSync(new URL('../../generated/openapi.json', import.meta.url), 'utf8'));
    assert.equal(components.schemas.DateTimeInput.pattern, dateTimePattern);
  });

  it('reports an item that occurs twice, not another record', () => {
    validate({ chosen: [1, 1] });
    const [{ code, field, message } = {}] = toFieldErrors(validate.errors ?? []) as Partial<FieldError>[];
    assert.deepEqual([code, field, message], ['not_unique', 'chosen', 'chosen: no item may occur more than once.']);
  });

  it('says what is expected of the value', () => {
    const cases: [schema: object, value: unknown, message: string][] = [
      [{ type: ['integer', 'null'] }, 'x', 'a: an integer or null is expected.'],
      [{ minimum: 1 }, 0, 'a: at least 1 is expected.'],
      [{ maximum: 9 }, 10, 'a: at most 9 is expected.'],
      [{ enum: [2, 3] }, 4, 'a: one of 2, 3 is expected.'],
      [{ type: 'array', maxItems: 1 }, [1, 2], 'a: at most 1 items are expected.'],
      [{ type: 'integer' }, null, 'A value is required.'],
      [{ pattern: '^\\d+$' }, 'x', 'a: a string that matches ^\\d+$ is expected.'],
      [{ pattern: `^[${'a'.repeat(80)}]$` }, 'x', 'The value has the wrong format.'],
      [{ pattern: dateTimePattern }, 'tomorrow', `a: ${dateTimeExpected}.`],
      [{ format: 'date' }, 'x', 'a: a date (YYYY-MM-DD) is expected.'],
      [{ format: 'time-zone' }, 'x', 'a: an IANA time zone is expected, such as Europe/Berlin.'],
    ];
    for (const [schema, value, message] of cases) {
      const check = ajv.compile({ properties: { a: schema } });
      check({ a: value });
      assert.equal(toFieldErrors(check.errors ?? [])[0]?.message, message);
    }
  });
});
