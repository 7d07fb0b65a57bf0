import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemError } from '../../../src/db/embedded/system-error.ts';

describe('what the thread of the embedded database throws', () => {
  it('is told with the reason, if it is a number of the file system', () => {
    const messageOf = (errno: number) => systemError({ name: 'ErrnoError', errno }).message;
    assert.deepEqual(
      [messageOf(51), messageOf(69)],
      ['ENOSPC: no space left on device', 'EROFS: read-only file system'],
    );
    assert.match(messageOf(999), /999/);
    assert.match(systemError(null).message, /has failed/);
  });

  it('is told as it is, if it is an error', () => {
    const error = new Error('a');
    assert.equal(systemError(error), error);
  });
});
