import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareResults } from '../../../scripts/witness/compare.ts';
import { Renaming } from '../../../scripts/witness/renaming.ts';
import type { StepResult } from '../../../scripts/witness/step.ts';

/** The places that differ in pairs of bodies, one pair after the other. */
const differing = (...pairs: readonly (readonly [before: unknown, after: unknown])[]): readonly string[] => {
  const ids = { renaming: new Renaming(), resource: 'clients' };
  const result = (body: unknown): StepResult => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return { status: 200, headers: [['ETag', text]], body: text };
  };
  return pairs.flatMap(([before, after]) =>
    compareResults(result(before), result(after), ids).map(({ where, what }) => `${where} ${what}`),
  );
};

describe('ids that differ', () => {
  const one = [
    { id: 1, name: 'a' },
    { id: 5, name: 'a' },
  ] as const;
  it('are the same records if each has one other id', () => assert.deepEqual(differing(one, one), []));
  it('are the same in references of the same name', () =>
    assert.deepEqual(differing([{ client_id: 1 }, { client_id: 5 }], [{ client_ids: [1] }, { client_ids: [5] }]), []));
  it('are recognized in text', () => assert.deepEqual(differing(one, ['<id>1</id>', '<id>5</id>']), []));
  it('are different if one becomes two', () =>
    assert.deepEqual(differing(one, [{ id: 1 }, { id: 6 }]), ['body /id', 'header etag']));
  it('are different if two become one', () =>
    assert.deepEqual(differing(one, [{ id: 2 }, { id: 5 }]), ['body /id', 'header etag']));
  it('are different if the id was the same before', () =>
    assert.deepEqual(differing([{ id: 1 }, { id: 1 }], one), ['body /id', 'header etag']));
  it('do not excuse other numbers', () =>
    assert.deepEqual(differing([{ status: 1 }, { status: 5 }]), ['body /status', 'header etag']));
  it('do not excuse other numbers in text', () =>
    assert.deepEqual(differing(one, ['<id>1</id>', '<id>6</id>']), ['body text', 'header etag']));
});
