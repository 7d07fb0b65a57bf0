import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '../../../src/core/errors.ts';
import { DatabaseError } from '../../../src/db/errors.ts';
import { codeOf, rows, startApi } from '../support/api.ts';

const failing = (error: unknown) => ({
  respond: () => {
    throw error;
  },
});

describe('failures', () => {
  const ask = async (error: unknown, path = '/api/v1/clients') => {
    const api = await startApi(failing(error));
    const response = await api.call(path);
    await api.close();
    return { response, logs: api.logs };
  };

  it('hide what went wrong inside, and log it with the request id', async () => {
    const { response, logs } = await ask(new Error('select secret from node_modules at line'));
    assert.deepEqual([response.status, codeOf(response)], [500, 'internal_error']);
    assert.doesNotMatch(response.text, /secret|select|node_modules| at /);
    const entry = logs.find(({ level }) => level === 50);
    assert.equal(entry?.request_id, response.headers['x-request-id']);
    assert.match(JSON.stringify(entry), /select secret/);
  });

  for (const thrown of [
    undefined,
    null,
    'text',
    { status: 418 },
    Object.assign(new Error('x'), { status: 404, expose: true }),
  ]) {
    it(`take ${String(thrown)} for an internal error`, async () =>
      assert.equal((await ask(thrown)).response.status, 500));
  }

  const kinds: [kind: DatabaseError['kind'], status: number][] = [
    ['unavailable', 503],
    ['uncertain', 503],
    ['timeout', 503],
    ['conflict', 503],
    ['still_referenced', 409],
    ['unique', 500],
    ['other', 500],
  ];
  for (const [kind, status] of kinds) {
    it(`respond to a database error "${kind}" with ${status}`, async () => {
      const { response } = await ask(new DatabaseError(kind, new Error('relation "x"')));
      assert.equal(response.status, status);
      if (status === 503) assert.match(String(response.headers['retry-after']), /^\d+$/);
      assert.doesNotMatch(response.text, /relation/);
    });
  }

  it('keep the headers and further members of an error', async () => {
    const error = new ApiError('still_referenced', { headers: { 'X-Thing': '1' }, extra: { references: ['events'] } });
    const { response } = await ask(error);
    assert.equal(response.headers['x-thing'], '1');
    assert.deepEqual(JSON.parse(response.text).references, ['events']);
  });

  it('of rendering are internal errors in JSON', async () => {
    const api = await startApi({
      respond: () => ({ ...rows, body: { kind: 'value', name: 'x', value: 1n as never } }),
    });
    const response = await api.call('/api/v1/clients?envelope=true');
    assert.deepEqual([response.status, codeOf(response)], [500, 'internal_error']);
    await api.close();
  });
});
