import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resources } from '../../../generated/resources.ts';
import type { Category } from '../../../src/core/resource/categories.ts';
import { fieldsOf } from '../../../src/core/resource/fields.ts';
import type { Resource } from '../../../src/core/resource/resource.ts';
import { fieldsFor } from '../../../src/core/resource/view.ts';
import { shownErrors } from '../../../src/resources/import-results/shown-errors.ts';

const shown = (resource: Resource, hidden: readonly Category[], error: object) => {
  const access = { id: 1, scopes: [], hidden };
  const set = fieldsFor({ get: fieldsOf }, access, resources).get(resource);
  return shownErrors(set, access, resource.name)([error as Record<string, string>]) as readonly object[];
};

describe('an error of a row', () => {
  const message = 'It was zebra.';

  it('stays if it is about a field that exists for the reader, by whatever name, or about the whole row', () => {
    for (const field of ['', 'lastname', 'language_id', 'language.external_id', 'qualifications.0']) {
      const error = { code: 'invalid_format', field, message, conflicts: [{ id: 1 }] };
      assert.deepEqual(shown(resources.employees, ['pay'], error), [error], field);
    }
  });

  it('of the whole row has another code if its own reveals what is hidden, and stays if its code is no longer known', () => {
    const error = { code: 'on_pay_run', field: '', message };
    assert.deepEqual(shown(resources.assignments, ['pay'], error), [
      { code: 'assignment_approved', field: '', message: 'The assignment has been approved.' },
    ]);
    const old = { code: 'of_an_earlier_release', field: '', message };
    assert.deepEqual(shown(resources.assignments, ['pay'], old), [old]);
  });

  it('has only its code if it is about a hidden field, by whatever name', () => {
    for (const field of ['birthday', 'language_id', 'language', 'language.external_id', 'country.x', 'nothing'])
      assert.deepEqual(
        shown(resources.employees, ['personal'], { code: 'invalid_format', field, message, near: 'zebra' }),
        [{ code: 'invalid_format', field: '', message: 'The value has the wrong format.' }],
        field,
      );
  });

  it('has the message of its code if it would name a hidden field', () => {
    for (const says of [{ message: 'The birthday is later.' }, { message, others: ['birthday'] }])
      assert.deepEqual(shown(resources.employees, ['personal'], { code: 'out_of_range', field: 'lastname', ...says }), [
        { code: 'out_of_range', field: 'lastname', message: 'The value is out of range.' },
      ]);
    const other = { code: 'out_of_range', field: 'lastname', message: 'birthdays are fine.' };
    assert.deepEqual(shown(resources.employees, ['personal'], other), [other]);
  });
});
