import assert from 'node:assert/strict';
import { it } from 'node:test';
import { overlaps, type Span } from '../../src/staffing/span.ts';

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
