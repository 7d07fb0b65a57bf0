import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chooseDatabases, inWords } from './databases.ts';

describe('TEST_DATABASES', () => {
  it('is by default both databases where they could differ, and one elsewhere', () => {
    assert.deepEqual(chooseDatabases('default'), { each: ['embedded', 'postgres'], any: ['postgres'] });
  });

  for (const [chosen, names] of [
    ['both', ['embedded', 'postgres']],
    ['embedded', ['embedded']],
    ['postgres', ['postgres']],
  ] as const)
    it(`${chosen} is for all tests`, () => {
      assert.deepEqual(chooseDatabases(chosen), { each: names, any: names });
    });

  it('that is mistyped ends the run, and does not leave a database out', () => {
    for (const chosen of ['Both', '', 'constructor'])
      assert.throws(() => chooseDatabases(chosen), /not one of default, both/);
  });

  it('is told in words', () => {
    assert.equal(inWords(chooseDatabases('postgres')), 'Tests run on a Postgres server.');
    assert.equal(inWords(chooseDatabases('both')), 'Tests run on the embedded database and a Postgres server.');
    assert.match(
      inWords(chooseDatabases('default')),
      /could differ run on the embedded .* and a Postgres server, others on a Postgres server;/,
    );
  });
});
