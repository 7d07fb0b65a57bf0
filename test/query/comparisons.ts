import fc from 'fast-check';
import type { Comparison, MatchPosition, Order } from '../../src/query/filter.ts';

/** Values of the comparisons with a field. */
interface Compared {
  readonly value: fc.Arbitrary<string>;
  /** Values to order by; default: the same. */
  readonly ordered?: fc.Arbitrary<string>;
  /** Parts of values to match; null: the field has no patterns. */
  readonly matched: fc.Arbitrary<string> | null;
}

/** Returns arbitrary comparisons of every kind that a field has. */
export const comparisonsOf = ({ value, ordered = value, matched }: Compared): fc.Arbitrary<Comparison> => {
  const not = fc.boolean();
  const match = (part: fc.Arbitrary<string>) =>
    fc.record({
      kind: fc.constant('match' as const),
      not,
      fold: fc.boolean(),
      place: fc.constantFrom<MatchPosition>('start', 'end', 'anywhere'),
      value: part,
    });
  return fc.oneof(
    fc.record({ kind: fc.constant('null' as const), not }),
    fc.record({ kind: fc.constant('equal' as const), not, value }),
    fc.record({
      kind: fc.constant('order' as const),
      operator: fc.constantFrom<Order>('<', '<=', '>', '>='),
      value: ordered,
    }),
    ...(matched ? [match(matched)] : []),
  );
};
