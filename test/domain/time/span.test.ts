import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { hull, overlaps, type Span } from '../../../src/domain/time/span.ts';

const span = (start: string | null, end: string | null): Span => ({ start, end });
const early = '2026-10-24T20:00:00Z';
const midnight = '2026-10-25T00:00:00Z';
const late = '2026-10-25T04:00:00Z';

it('spans that touch do not overlap, spans that share a second do, whichever comes first', () => {
  assert.equal(overlaps(span(early, midnight), span(midnight, late)), false);
  assert.equal(overlaps(span(midnight, late), span(early, midnight)), false);
  assert.equal(overlaps(span(early, '2026-10-25T00:00:01Z'), span(midnight, late)), true);
  assert.equal(overlaps(span(midnight, late), span(early, '2026-10-25T00:00:01Z')), true);
});

it('an open end is never reached, an open start always past', () => {
  assert.equal(overlaps(span(early, null), span(midnight, late)), true);
  assert.equal(overlaps(span(null, midnight), span(early, null)), true);
  assert.equal(overlaps(span(null, early), span(early, null)), false);
});

it('a span without length overlaps nothing', () => {
  assert.equal(overlaps(span(midnight, midnight), span(early, late)), false);
});

it('what overlaps one of some spans overlaps the whole that they lie in', () => {
  const instant = fc.option(fc.integer({ min: 0, max: 48 }).map(hour => new Date(hour * 3_600_000).toISOString()));
  const spans = fc.array(fc.record({ start: instant, end: instant }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(spans, fc.record({ start: instant, end: instant }), (some, other) => {
      if (some.some(one => overlaps(one, other))) assert.equal(overlaps(hull(some), other), true);
    }),
    { numRuns: 2000 },
  );
  assert.equal(overlaps(hull([]), span(null, null)), false);
});
