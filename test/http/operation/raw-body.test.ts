import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import type { Intake } from '../../../src/core/call/content.ts';
import { withRawBody } from '../../../src/http/operation/raw-body.ts';

const requestOf = (bytes: Buffer): IncomingMessage =>
  Object.assign(Readable.from([bytes]), { headers: { 'content-encoding': 'gzip' } }) as unknown as IncomingMessage;

/** Reads the stream only after it has failed, as an intake does whose disk is slow. */
const late: Intake = {
  receive: async (_, stream) => {
    await once(stream, 'close');
    for await (const _chunk of stream) assert.fail('There is nothing to read.');
    throw new Error('The stream did not fail.');
  },
};

describe('a compressed body of any bytes', () => {
  it('that is no gzip is rejected with 400, even if it fails before anyone reads it', async () => {
    const work = () => assert.fail('There is no body to work with.');
    await assert.rejects(withRawBody(requestOf(Buffer.from('x')), 1, late, work), { code: 'malformed_request' });
  });
});
