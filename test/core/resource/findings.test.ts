import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError, type FieldError, fieldError } from '../../../src/core/errors.ts';
import type { Access } from '../../../src/core/resource/access.ts';
import { presented, presentedFinding } from '../../../src/core/resource/findings.ts';

const access = (scopes: readonly string[], hidden: Access['hidden'] = []): Access => ({ scopes, hidden });
const wages = fieldError('currency_mismatch', 'wage_type_id', undefined, { wage_ids: [7], count: 1 });
const booked = fieldError('double_booked', 'start', 'Booked by 7.', {
  conflicts: [{ assignment_id: 7 }],
  assignment_id: 8,
});
const paid = fieldError('assignment_paid', 'status', 'Paid by 7.', { assignment_id: 8 });
const { wage_ids: _, ...unnamed } = wages;
const general = fieldError('double_booked', 'start');

const cases: readonly [name: string, finding: FieldError, access: Access, wanted: FieldError][] = [
  ['is whole for callers without restrictions', booked, access([]), booked],
  ['has references to records that may be read', wages, access(['assignment-wages:read']), wages],
  ['has no others', wages, access(['wage-profiles:read']), unnamed],
  ['tells of records that may be read', booked, access(['*:read']), booked],
  ['has its code’s message where it would tell of others', booked, access(['events:read']), general],
  [
    'has another code where its own tells what is hidden',
    paid,
    access([], ['pay']),
    fieldError('assignment_approved', 'status', undefined, { assignment_id: 8 }),
  ],
  ['keeps its code where something else is hidden', paid, access([], ['contact']), paid],
];

describe('an error of a field, as it is presented to a caller,', () => {
  for (const [name, finding, who, wanted] of cases)
    it(name, () => assert.deepEqual(presentedFinding(finding, who), wanted));

  it('is so within the error of a response, whose own code and message follow the same rules', () => {
    const failed = new ApiError('validation_failed', { errors: [paid, booked] });
    const { errors, code } = presented(failed, access(['events:read'], ['pay'])) as ApiError;
    assert.deepEqual(
      [code, errors?.map(error => error.code)],
      ['validation_failed', ['assignment_approved', 'double_booked']],
    );
    const conflict = presented(new ApiError('on_pay_run', { message: 'Of run 7.' }), access([], ['pay'])) as ApiError;
    const approved = new ApiError('assignment_approved');
    assert.deepEqual(
      [conflict.code, conflict.message, conflict.description],
      [approved.code, approved.message, approved.description],
    );
    const unread = presented(new ApiError('on_pay_run', { message: 'Of run 7.' }), access(['events:read'])) as ApiError;
    assert.deepEqual([unread.code, unread.message], ['on_pay_run', new ApiError('on_pay_run').message]);
    const other = new Error('Not of the API');
    assert.equal(presented(other, access(['events:read'])), other);
  });
});
