import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError, fieldError, validationFailed } from '../../src/core/errors.ts';
import { describeFailure } from '../../src/server/describe-failure.ts';

describe('the message of a start or command that has failed', () => {
  it('names the field and the reason of each validation error', () => {
    const failure = validationFailed([
      fieldError('not_empty', 'company', 'company: a value is required.'),
      fieldError('out_of_range', 'lines[3].quantity', 'At most 24.'),
    ]);
    assert.equal(
      describeFailure(failure),
      'The values of some fields are not valid.\n- company: a value is required.\n- lines[3].quantity: At most 24.',
    );
  });

  it('is that of any other error as it is', () =>
    assert.equal(describeFailure(new ApiError('not_found', { message: 'Gone.' })), 'Gone.'));
});
