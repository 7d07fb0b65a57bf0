import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Json } from '../../../src/core/json/value.ts';
import { type Mask, type MaskedSchema, masked, maskOf } from '../../../src/core/resource/mask.ts';
import { unmasked } from '../../../src/core/resource/unmask.ts';

const listOf = (properties: NonNullable<MaskedSchema['properties']>): Mask =>
  maskOf({ items: { properties: { ...properties, remarks: { 'x-sensitive': 'personal' } } } }, ['personal']) as Mask;

const orNull = maskOf({ anyOf: [{ properties: { remarks: { 'x-sensitive': 'personal' } } }, { type: 'null' }] }, [
  'personal',
]) as Mask;

const cases: readonly [name: string, mask: Mask, given: Json, stored: Json, wanted: Json][] = [
  ['null is the object of which nothing is shown', orNull, null, { remarks: 'x' }, { remarks: 'x' }],
  ['null removes an object of which something is shown', orNull, null, { a: 1, remarks: 'x' }, null],
  [
    'an item is found by its id, wherever it is now; a new one has nothing hidden',
    listOf({}),
    [
      { id: 2, a: 3 },
      { id: 3, a: 1 },
    ],
    [
      { id: 1, a: 1, remarks: 'x' },
      { id: 2, a: 2, remarks: 'y' },
    ],
    [
      { id: 2, a: 3, remarks: 'y' },
      { id: 3, a: 1 },
    ],
  ],
  [
    'an item is found by the key that its list declares, all of it',
    listOf({ day: { 'x-key': true }, slot: { 'x-key': true } }),
    [
      { day: 1, slot: 2, id: 1 },
      { day: 1, slot: 1, id: 2 },
      { day: 2, slot: 1, id: 3 },
    ],
    [
      { day: 1, slot: 1, id: 1, remarks: 'x' },
      { day: 1, slot: 2, id: 2, remarks: 'y' },
    ],
    [
      { day: 1, slot: 2, id: 1, remarks: 'y' },
      { day: 1, slot: 1, id: 2, remarks: 'x' },
      { day: 2, slot: 1, id: 3 },
    ],
  ],
  [
    'an item without a key is found by what is shown of it, in whatever order its members are',
    listOf({}),
    [{ b: 2, a: 2 }, { a: 3 }, { a: 1, b: 1 }],
    [
      { a: 1, b: 1, remarks: 'x' },
      { a: 2, b: 2, remarks: 'y' },
    ],
    [{ a: 2, b: 2, remarks: 'y' }, { a: 3 }, { a: 1, b: 1, remarks: 'x' }],
  ],
  [
    'an item that is found by nothing else is found by its place, if their number is unchanged',
    listOf({}),
    [{ a: 2 }, { a: 2 }],
    [
      { a: 1, remarks: 'x' },
      { a: 2, remarks: 'y' },
    ],
    [
      { a: 2, remarks: 'x' },
      { a: 2, remarks: 'y' },
    ],
  ],
  ['an item with a key is not found by its place', listOf({}), [{ id: 2 }], [{ id: 1, remarks: 'x' }], [{ id: 2 }]],
  ['an item that was removed takes along what was hidden of it', listOf({}), [], [{ id: 1, remarks: 'x' }], []],
  ['a new list has nothing hidden', listOf({}), [{ a: 1 }], null, [{ a: 1 }]],
];

/** Members of random objects: `id` is a key, `k1` and `k2` are one together. */
const names = ['a', 'b', 'h', 'id', 'k1', 'k2'];

/** Schemas of values of any shape, some of whose members are hidden. */
const { schema: schemas } = fc.letrec<{ schema: MaskedSchema }>(tie => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constant({}),
    fc.record({ items: tie('schema') }),
    fc
      .record({ properties: fc.dictionary(fc.constantFrom(...names), tie('schema')), keyed: fc.boolean() })
      .map(({ properties, keyed }) => ({
        properties: Object.fromEntries(
          Object.entries(properties).map(([name, member]) => [
            name,
            {
              ...member,
              ...(name === 'h' && { 'x-sensitive': 'pay' as const }),
              ...(keyed && name.startsWith('k') && { 'x-key': true as const }),
            },
          ]),
        ),
      })),
  ),
}));

/** Few different values, so that items are often alike. */
const scalars = fc.constantFrom<Json>(0, 1, 'x', null);

/** Values of a schema: lists with items that are alike, objects that lack members. */
const valuesOf = ({ items, properties }: MaskedSchema): fc.Arbitrary<Json> => {
  if (items) return fc.array(valuesOf(items), { maxLength: 5 });
  if (!properties) return scalars;
  const members = Object.entries(properties).map(([name, member]) => [name, valuesOf(member)] as const);
  return fc.record(Object.fromEntries(members), { requiredKeys: [], noNullPrototype: true }) as fc.Arbitrary<Json>;
};

const hidings = schemas
  .map(schema => ({ schema, mask: maskOf(schema, ['pay']) }))
  .filter((hiding): hiding is { schema: MaskedSchema; mask: Mask } => hiding.mask !== null);

type Path = readonly (string | number)[];

/** Returns the paths of all members that are shown, but for keys, which a changed item is not found by. */
const pathsOf = (value: Json, path: Path = []): readonly Path[] => {
  if (typeof value !== 'object' || value === null) return [path];
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  const inner = entries.filter(([name]) => !/^(id|k)/.test(String(name)));
  return [...(path.length > 0 ? [path] : []), ...inner.flatMap(([name, member]) => pathsOf(member, [...path, name]))];
};

const withChange = (value: Json, [name, ...rest]: Path, changed: Json): Json => {
  if (name === undefined) return changed;
  const inner = withChange((value as Record<string, Json>)[name] as Json, rest, changed);
  return Array.isArray(value) ? value.with(Number(name), inner) : { ...(value as object), [name]: inner };
};

describe('a value that is put back by someone from whom part of it is hidden', () => {
  for (const [name, mask, given, stored, wanted] of cases)
    it(name, () => assert.deepEqual(unmasked(mask, given, stored), wanted));

  it('is the stored value if it is what was read, whatever it is and whatever is hidden', () => {
    const putBack = hidings.chain(({ schema, mask }) => fc.tuple(fc.constant(mask), valuesOf(schema)));
    fc.assert(
      fc.property(putBack, ([mask, stored]) => {
        assert.deepEqual(unmasked(mask, masked(mask, stored), stored), stored);
      }),
      { numRuns: 2_000 },
    );
  });

  it('keeps objects of lists that are hidden whole, where they stood', () => {
    const mask = maskOf({ items: { properties: { type: { 'x-sensitive-values': { x: 'pay' } } } } }, ['pay']) as Mask;
    const stored = fc.array(
      fc.record({ type: fc.constantFrom('x', 'y', 'z'), a: scalars }, { noNullPrototype: true }),
      { maxLength: 8 },
    );
    fc.assert(fc.property(stored, value => assert.deepEqual(unmasked(mask, masked(mask, value), value), value)));
  });

  it('differs from the stored value in the member that was changed and in no other', () => {
    const changes = hidings.chain(({ schema, mask }) =>
      valuesOf(schema).chain(stored => {
        const paths = pathsOf(masked(mask, stored));
        return fc.record({
          mask: fc.constant(mask),
          stored: fc.constant(stored),
          path: paths.length > 0 ? fc.constantFrom(...paths) : fc.constant<Path>([]),
          changed: fc.oneof(scalars, fc.constant('changed')),
        });
      }),
    );
    fc.assert(
      fc.property(changes, ({ mask, stored, path, changed }) => {
        const given = withChange(masked(mask, stored), path, changed);
        assert.deepEqual(unmasked(mask, given, stored), withChange(stored, path, changed));
      }),
      { numRuns: 2_000 },
    );
  });
});
