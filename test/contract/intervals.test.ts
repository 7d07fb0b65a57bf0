import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resources } from '../../generated/resources.ts';
import type { Resource } from '../../src/core/resource/resource.ts';
import { errorsOf } from '../domain/staffing/scene.ts';
import { forEachApp } from '../support/for-each-app.ts';
import { operationOf } from '../support/operations.ts';
import { Scene } from '../support/scene.ts';

const table: readonly Resource[] = Object.values(resources);

it('every writable end of an interval of date-times is declared as one', () => {
  for (const { name, fields } of table) {
    const starts = new Map(fields.filter(({ type }) => type === 'date_time').map(field => [field.name, field]));
    for (const field of fields) {
      const start = field.name.replace(/end$/, 'start');
      if (field.type !== 'date_time' || field.computed || field.access === 'read') continue;
      if (start !== field.name && starts.has(start)) assert.equal(field.endsAfter, start, `${name}.${field.name}`);
    }
  }
});

const intervals = table.flatMap(({ name, fields }) =>
  fields.flatMap(({ name: end, endsAfter: start, access, wholeDays }) =>
    start ? [{ resource: name, start, end, access, flag: wholeDays?.flag.split('.')[0] }] : [],
  ),
);

forEachApp(client => {
  const scene = new Scene(client);
  const [at, later] = ['2026-06-12T18:00:00Z', '2026-06-12T18:00:01Z'];

  for (const { resource, start, end, access, flag } of intervals) {
    describe(`${resource} from ${start} to ${end}`, () => {
      it('are not of length zero when they are created, whatever the form of the times, but may be of a second', async () => {
        for (const same of [at, '2026-06-12T20:00:00+02:00', '2026-06-12 20:00:00', '2026-06-12T18:00:00.9Z']) {
          const body = { ...(await scene.bodyOf(resource)), [start]: at, [end]: same };
          // Whole days are never empty.
          if (flag) delete (body as Record<string, unknown>)[flag];
          const response = await client.call('POST', `/${resource}`, { body });
          assert.ok(
            errorsOf(response).some(error => error.join(' ') === `end_before_start ${end}`),
            response.text,
          );
        }
        const id = await scene.create(resource, {
          [start]: at,
          [end]: start === 'start' ? '2026-06-13T01:00:00Z' : later,
        });
        if (access !== 'write' || !operationOf(resource, 'update')) return;
        const response = await client.call('PUT', `/${resource}/${id}`, { body: { [end]: at } });
        assert.ok(
          errorsOf(response).some(error => error.join(' ') === `end_before_start ${end}`),
          response.text,
        );
        // The end is not compared with the start that the rejected one was to replace.
        const rejected = await client.call('PUT', `/${resource}/${id}`, { body: { [start]: 'soon', [end]: at } });
        const fields = errorsOf(rejected).map(([, field]) => field);
        assert.ok(fields.includes(start) && !fields.includes(end), rejected.text);
      });
    });
  }
});
