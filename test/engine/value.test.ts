import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json } from '../../src/core/call/reply.ts';
import type { Field, FieldType } from '../../src/core/resource/resource.ts';
import { checkValue } from '../../src/engine/value.ts';

const field = (type: FieldType, more: Partial<Field> = {}): Field => ({ name: 'f', type, access: 'write', ...more });

const flag = { anyOf: [{ type: 'integer', oneOf: [{ const: 0 }, { const: 1 }] }, { type: 'boolean' }] };
const flagged = {
  anyOf: [
    { type: 'object', properties: { on: flag, list: { type: 'array', items: flag }, own: { type: 'boolean' } } },
    { type: 'null' },
  ],
};

const accepted: [field: Field, given: Json, stored: Json][] = [
  [field('integer'), 5, 5],
  [field('integer', { nullable: true }), null, null],
  [field('flag'), true, 1],
  [field('flag'), false, 0],
  [field('flag'), 1, 1],
  [field('number', { scale: 2 }), 10.55, 10.55],
  [field('number', { scale: 2 }), 1.1, 1.1],
  [field('text', { nullable: true }), '', null],
  [field('text', { nullable: true, lines: 'one' }), ' \u00a0\u3000 ', null],
  [field('text', { nullable: true, lines: 'many' }), ' \n\t ', null],
  [field('text', { lines: 'one' }), '\u3000 Ma\u0308x  Muster ', 'M\u00e4x  Muster'],
  [field('text', { lines: 'many' }), ' a\n\tu\u0308 ', ' a\n\t\u00fc '],
  [field('text', { format: 'email' }), 'ada@example.org', 'ada@example.org'],
  [field('text', { format: 'phone' }), '+49 (30) 123-456', '+49 (30) 123-456'],
  [field('text', { format: 'json' }), '{"to":[6]}', '{"to":[6]}'],
  [field('text', { maxLength: 2 }), '😀😀', '😀😀'],
  [field('date'), '2024-02-29', '2024-02-29'],
  [field('date_time'), '2026-04-01T18:00:00+02:00', '2026-04-01T16:00:00Z'],
  [field('date_time'), '2026-04-01T18:00:00.999Z', '2026-04-01T18:00:00Z'],
  [field('date_time'), '2026-04-01 18:00:00', '2026-04-01T16:00:00Z'],
  [field('date_time'), '2026-12-01 18:00:00', '2026-12-01T17:00:00Z'],
  [field('date_time'), '2026-04-01', '2026-03-31T22:00:00Z'],
  [field('json'), [1, 2], [1, 2]],
  [field('json', { schema: { type: 'array', items: { type: 'integer' } } }), [3], [3]],
  [
    field('json', { schema: flagged }),
    { on: true, list: [false, 1], own: true, more: true },
    { on: 1, list: [0, 1], own: true, more: true },
  ],
];

const refused: [field: Field, given: Json, code: string, place?: string][] = [
  [field('integer'), null, 'not_empty'],
  [field('text', { required: true }), '', 'not_empty'],
  [field('text', { required: true, nullable: true }), '', 'not_empty'],
  [field('json', { required: true, nullable: true }), [], 'not_empty'],
  [field('integer'), 1.5, 'invalid_type'],
  [field('integer'), '1', 'invalid_type'],
  [field('integer'), 2 ** 53, 'out_of_range'],
  [field('integer'), 1e300, 'out_of_range'],
  [field('integer'), Number.POSITIVE_INFINITY, 'out_of_range'],
  [field('number'), Number.POSITIVE_INFINITY, 'out_of_range'],
  [
    field('json', { schema: { type: 'object', properties: { n: { type: 'integer', maximum: 9 } } } }),
    { n: 1e300 },
    'out_of_range',
    'f.n',
  ],
  [
    field('json', { schema: { type: 'array', items: { type: 'number', 'x-scale': 2 } } }),
    [0.07, 0.071],
    'out_of_range',
    'f.1',
  ],
  [
    field('json', { schema: { type: 'array', items: { type: 'string', 'x-lines': 'one' } } }),
    ['a\nb'],
    'invalid_character',
    'f.0',
  ],
  [field('text'), '', 'not_empty'],
  [field('text', { lines: 'one', required: true, nullable: true }), ' \u3000', 'not_empty'],
  [field('text', { lines: 'one' }), 'a\n', 'invalid_character'],
  [field('text', { lines: 'one' }), 'a\tb', 'invalid_character'],
  [field('text', { lines: 'one' }), 'a\u0085b', 'invalid_character'],
  [field('text', { lines: 'one' }), 'a\u202eb', 'invalid_character'],
  [field('text', { lines: 'many' }), 'a\u2066b', 'invalid_character'],
  [field('text', { lines: 'many' }), 'a\r\nb', 'invalid_character'],
  [field('integer', { values: [1, 2] }), 3, 'not_in_enumeration'],
  [field('integer', { minimum: 0 }), -1, 'out_of_range'],
  [field('integer', { maximum: 9 }), 10, 'out_of_range'],
  [field('number'), '1.5', 'invalid_type'],
  [field('number', { scale: 2 }), 1.555, 'out_of_range'],
  [field('flag'), 2, 'invalid_type'],
  [field('flag'), 'true', 'invalid_type'],
  [field('text'), 5, 'invalid_type'],
  [field('text'), 'a\0b', 'invalid_character'],
  [field('text'), 'a\ud800', 'invalid_character'],
  [field('text', { maxLength: 2 }), 'abc', 'too_long'],
  [field('text', { minLength: 2 }), 'a', 'too_short'],
  [field('text', { format: 'email' }), 'ada', 'invalid_format'],
  [field('text', { format: 'phone' }), 'call me', 'invalid_format'],
  [field('text', { format: 'json' }), '{', 'invalid_format'],
  [field('text', { format: 'time-zone' }), 'Mars/Olympus', 'invalid_format'],
  [field('date'), '2025-02-29', 'invalid_format'],
  [field('date'), '2025-02-01T00:00:00Z', 'invalid_format'],
  [field('date'), 20250201, 'invalid_type'],
  [field('date_time'), 'tomorrow', 'invalid_format'],
  [field('date_time'), '2026-13-01T00:00:00Z', 'invalid_format'],
  [field('date_time'), '0000-01-01', 'invalid_format'],
  [field('date_time'), 5, 'invalid_type'],
  [field('json'), 'x', 'invalid_type'],
  [field('json', { schema: { type: 'array', items: { type: 'integer' } } }), [1, 'x'], 'invalid_type', 'f.1'],
  [field('json', { schema: flagged }), { on: 2 }, 'not_in_enumeration', 'f.on'],
];

describe('checkValue', () => {
  for (const [given, value, stored] of accepted) {
    it(`stores ${JSON.stringify(value)} of type ${given.type} as ${JSON.stringify(stored)}`, () =>
      assert.deepEqual(checkValue(given, value, 'Europe/Berlin'), { value: stored }));
  }
  for (const [given, value, code, place = 'f'] of refused) {
    it(`refuses ${JSON.stringify(value)} for ${JSON.stringify(given)}: ${code}`, () => {
      const checked = checkValue(given, value, 'Europe/Berlin');
      assert.ok('errors' in checked);
      assert.deepEqual(
        checked.errors.map(error => [error.code, error.field]),
        [[code, place]],
      );
    });
  }

  const hints: [label: string, field: Field, given: Json, says: RegExp][] = [
    [
      'an object for a JSON document',
      field('text', { format: 'json' }),
      { minutes: 60 },
      /string.*not the object itself.*\\"minutes\\"/,
    ],
    ['an array for a JSON document', field('text', { format: 'json' }), [1], /string.*not the object itself/],
    ['a JSON document for an object', field('json'), ' {"minutes": 60}', /object.*not its JSON as a string/],
    ['a JSON document for an array', field('json'), '[1]', /array.*not its JSON as a string/],
  ];
  for (const [label, given, value, says] of hints) {
    it(`names the mistake: ${label}`, () => {
      const checked = checkValue(given, value, 'Europe/Berlin');
      assert.ok('errors' in checked);
      assert.deepEqual(
        checked.errors.map(({ code }) => code),
        ['invalid_type'],
      );
      assert.match(checked.errors[0]?.message ?? '', says);
    });
  }

  it('does not speak of JSON where none is meant', () => {
    for (const [given, value] of [
      [field('text'), {}],
      [field('text', { format: 'json' }), 5],
      [field('json'), 'plain'],
    ] as const) {
      const checked = checkValue(given, value, 'Europe/Berlin');
      assert.ok('errors' in checked);
      assert.doesNotMatch(checked.errors[0]?.message ?? '', /JSON/);
    }
  });
});
