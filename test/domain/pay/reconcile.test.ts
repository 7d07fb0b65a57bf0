import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type KnownWage, reconcile } from '../../../src/domain/pay/reconcile.ts';

const derived = (factor: string) => ({ wage_type_id: 1, base_value: '10.0000', factor, payable_amount: '80.00' });
const known = (factor: string, derivedFactor: string): KnownWage => ({
  id: 7,
  wage_type_id: 1,
  base_value: '10.0000',
  factor,
  payable_amount: null,
  derived_base_value: '10.0000',
  derived_factor: derivedFactor,
});

const none = { kept: [], outdated: [], stale: [], removed: [] };

describe('a derivation', () => {
  it('adds what is new, and removes what nothing is worked for any more', () => {
    assert.deepEqual(reconcile([], [derived('8')]), { added: [derived('8')], ...none });
    assert.deepEqual(reconcile([known('8', '8')], []), { added: [], ...none, removed: [7] });
  });

  it('brings along what no one has changed, however its numbers are written', () => {
    const { kept, added } = reconcile([known('8', '8.000000')], [derived('9')]);
    assert.deepEqual(added, []);
    assert.deepEqual(
      kept.map(({ factor, derived_factor, is_valid }) => [factor, derived_factor, is_valid]),
      [['9', '9', true]],
    );
  });

  it('leaves alone what was changed by hand, as long as it comes to what was changed', () => {
    assert.deepEqual(reconcile([known('7.5', '8')], [derived('8')]), { added: [], ...none });
  });

  it('tells that what was changed by hand no longer fits', () => {
    assert.deepEqual(reconcile([known('7.5', '8')], [derived('9')]), {
      added: [],
      ...none,
      outdated: [{ id: 7, derived_base_value: '10.0000', derived_factor: '9', is_valid: false }],
    });
    assert.deepEqual(reconcile([known('7.5', '8')], []).stale, [7]);
  });
});
