import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

const types = readFileSync(new URL('../../../generated/api.ts', import.meta.url), 'utf8');
const has = (name: string): boolean => new RegExp(`^ +readonly "?${name}"?: `, 'm').test(types);

describe('generated/api.ts', () => {
  it('has the actions, with the resource of the records they return and whether they are a list', () => {
    for (const name of ['assignments_setTime', 'files_upload', 'AssignmentTimes', 'IdempotencyHeaders'])
      assert.ok(has(name), name);
    for (const shown of ['"assignments", false', '"assignments", true', '"change-requests", true', '"files", false'])
      assert.ok(types.includes(`"application/json": Representation<${shown}>`), shown);
    assert.ok(!has('Assignment'));
  });

  it('has the components of records', () => {
    for (const name of ['WageType', 'AvailabilityTimeSlot', 'Configurations']) assert.ok(has(name), name);
  });

  it('has no verb, no body of a verb, no error of an action and no filter', () => {
    for (const name of ['clients_list', 'ClientCreate', 'ClientWithRelations', '404']) assert.ok(!has(name), name);
    assert.doesNotMatch(types.slice(types.indexOf('interface operations')), /employee_id/);
  });
});
