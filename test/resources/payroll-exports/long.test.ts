import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { payrollFile } from '../../../src/domain/payroll/file.ts';
import type { PayrollFileFormat } from '../../../src/domain/payroll/format.ts';
import { Exports } from '../../domain/payroll/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Used memory in bytes after a garbage collection. */
const held = (): number => {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

forAnyApp(client => {
  const payroll = new Exports(client);
  const tenant = () => client.database.forTenant(client.tenant);

  /** A pay run of one paysheet with so many lines, the n-th of n hundredths of an hour. */
  const long = async (count: number, name = 'Base') => {
    const { run } = await payroll.exportable({ lastname: 'Long' });
    const lines = Array.from({ length: count }, (_, index) => ({
      wage_type_id: 1,
      name,
      quantity: (index + 1) / 100,
      unit: 'hour',
      rate: 1,
      factor: 1,
      amount: (index + 1) / 100,
      currency: 'EUR',
    }));
    await tenant().transaction(({ kysely }) =>
      kysely
        .updateTable('paysheets')
        .set({ lines: JSON.stringify(lines) })
        .where('pay_run_id', '=', run)
        .execute(),
    );
    return run;
  };

  const cells = [{ value: 'lastname' }, { value: 'quantity', scale: 2 }];

  describe('a long pay run', () => {
    it('is written whole: 10,000 lines, of which a dry run shows 100', async () => {
      const run = await long(10_000);
      const format = (await payroll.format({ cells, newline: 'lf' })).body.id;
      const rows = Array.from({ length: 10_000 }, (_, index) => {
        const hundredths = String(index + 1).padStart(3, '0');
        return `Long;${hundredths.slice(0, -2)}.${hundredths.slice(-2)}`;
      });
      const rehearsed = (await payroll.export(run, format, '?dry_run=true')).body;
      assert.deepEqual([rehearsed.lines, rehearsed.preview], [10_000, rows.slice(0, 100)]);
      const made = (await payroll.export(run, format)).body;
      const text = `${rows.join('\n')}\n`;
      assert.equal((await payroll.content(made.file_id)).toString(), text);
      assert.deepEqual(
        [made.lines, made.sha256, made.preview],
        [10_000, createHash('sha256').update(text).digest('hex'), null],
      );
    });

    it('is written in little memory: a batch of lines at a time', async () => {
      // The server's result of a batch is held, and the next one.
      const run = await long(10_000, 'x'.repeat(250));
      const all = Array.from({ length: 10 }, () => ({ value: 'wage_type_name' }));
      const { body } = await payroll.format({ cells: all });
      const written = { lines: 0, preview: [] };
      let [most, size] = [0, 0];
      await tenant().transaction(async transaction => {
        const content = { payRunId: run, format: body as PayrollFileFormat, named: () => '' };
        const before = held();
        for await (const chunk of payrollFile(content, written, transaction)) {
          size += chunk.length;
          most = Math.max(most, held() - before);
        }
      });
      assert.equal(size, 10_000 * (10 * 251 + 1));
      assert.ok(most < size / 2, `${most} bytes are held of ${size}`);
    });

    it('has at most 100 errors, and is not exported then', async () => {
      const run = await long(150);
      const format = (await payroll.format({ cells, required: ['wage_type_external_id'] })).body.id;
      const files = await payroll.list('/files?fields=id');
      const { status, body } = await payroll.export(run, format);
      assert.equal(status, 422);
      assert.deepEqual(
        body.errors.map(({ code, field }: Record<string, string>) => `${code} ${field}`),
        [
          ...Array.from({ length: 100 }, (_, line) => `not_empty lines.${line}.wage_type_external_id`),
          'too_many_errors ',
        ],
      );
      assert.ok(body.errors[100].count > 100);
      assert.deepEqual(await payroll.list(`/payroll-exports?pay_run_id=${run}`), []);
      assert.deepEqual(await payroll.list('/files?fields=id'), files);
    });
  });
});
