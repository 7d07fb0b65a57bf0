import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Exports } from '../../domain/payroll/scene.ts';
import { assertConflict, assertErrors } from '../../domain/staffing/scene.ts';
import { useHoldable } from '../../support/held-table.ts';

describe('an export whose format is deleted at once', () => {
  const { client, hold } = useHoldable();
  const exports = new Exports(client);

  const newFormat = async (): Promise<number> => (await exports.format({ cells: [{ value: 'lastname' }] })).body.id;
  const remove = (format: number) => client.call('DELETE', `/payroll-formats/${format}`);

  it('that comes first keeps the format', async () => {
    const [{ run }, format] = [await exports.exportable(), await newFormat()];
    await using held = await hold('files');
    const made = exports.export(run, format);
    await held.waiting(1);
    let ended = false;
    const removed = remove(format).finally(() => {
      ended = true;
    });
    await held.waiting(2, () => ended);
    await held.release();
    const { status, text } = await made;
    assert.equal(status, 201, text);
    assertConflict(await removed, 'still_referenced');
  });

  it('that comes second has no format', async () => {
    const [{ run }, format] = [await exports.exportable(), await newFormat()];
    await using held = await hold('journal');
    const removed = remove(format);
    await held.waiting(1);
    const made = exports.export(run, format);
    await held.waiting(2);
    await held.release();
    assert.equal((await removed).status, 204);
    assertErrors(await made, 'reference_not_found payroll_format_id');
  });
});
