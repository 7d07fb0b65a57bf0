import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import { forEachApp } from '../support/for-each-app.ts';
import { Scene } from '../support/scene.ts';

/** Strings that differ only in letter case by simple case folding, and those that do not. */
const cases: [stored: string, asked: string, matches: boolean][] = [
  ['STRAẞE', 'straße', true],
  ['Straße', 'STRASSE', false],
  ['ſara', 'SARA', true],
  ['\u212Bngström', 'ÅNGSTRÖM', true],
  ['ΟΔΟΣ', 'οδοσ', true],
  ['οδος', 'ΟΔΟΣ', true],
  ['ΟΔΟΣ Α', 'οδος', true],
  ['İzmir', 'izmir', false],
  ['İzmir', 'İZMIR', true],
  ['Isparta', 'ısparta', false],
  ['ϐίος', 'ΒΊΟΣ', true],
  ['ЖЁЛТЫЙ', 'жёлтый', true],
];

forEachApp(client => {
  it('~ folds letter case by the simple case folding of Unicode', async () => {
    const scene = new Scene(client);
    for (const [stored, asked, matches] of cases) {
      const id = await scene.create('clients', { company: stored });
      const { body } = await client.call('GET', `/clients?company=~${encodeURIComponent(asked)}&id=${id}`);
      assert.equal(body.length, matches ? 1 : 0, `${stored} ~ ${asked}`);
    }
  });

  it('a Postgres without case folding makes the same classes of characters', async () => {
    const { rows } = await client.database.asOwner(client.tenant.id, ({ system }) =>
      sql<{ a: string }>`
        select a.c as a from (select chr(i) as c from generate_series(33, 65533) i where i not between 55296 and 57343) a
        where fold_case(a.c) collate "C" <> fold_case(fold_case_by_lower(a.c)) collate "C"
          and fold_case_by_lower(a.c) collate "C" <> chr(65535) collate "C"`.execute(system),
    );
    assert.deepEqual(rows, []);
  });
});
