import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { layersOf } from '../../../scripts/generate/spec/layers.ts';

const own = { source: 'things', columns: ['tenant_id', 'id', 'name', 'start'] };
const view = (name: string, select: string) =>
  `create view ${name} with (security_invoker = true) as\nselect ${select};\n`;

describe('the layers of a resource', () => {
  it('are its views, with the names of their columns', () => {
    const text = [
      view(
        'things_own',
        `t.tenant_id, t.id, -- not t.name,\n  coalesce(t.own, (select 1 from x), 'a,b') as start from things t`,
      ),
      view('others_view', 'o.id from others o'),
      view(
        'things_view',
        'o.*, p.name as "parent.name", "case"(1) collate "C" as "end"\nfrom things_own o left join parents p on true',
      ),
    ].join('');
    assert.deepEqual(layersOf(text, own), [
      { source: 'things_own', columns: ['tenant_id', 'id', 'start'] },
      { source: 'things_view', columns: ['tenant_id', 'id', 'start', 'parent.name', 'end'] },
    ]);
  });

  it('begin with the table if the first view has all of its columns as they are', () => {
    const top = { source: 'things_view', columns: [...own.columns, 'parent.name'] };
    assert.deepEqual(
      layersOf(view('things_view', 't.*, p.name as "parent.name" from things t join parents p on true'), own),
      [own, top],
    );
    assert.deepEqual(layersOf(view('things_view', '*, 1 as "parent.name" from things'), own), [own, top]);
  });

  const wrong: readonly (readonly [what: string, text: string, message: RegExp])[] = [
    [
      'lacks a column of the layer before it',
      view('things_own', 't.id, t.name from things t') + view('things_view', 'o.id from things_own o'),
      /things_view lacks .*: name\./,
    ],
    [
      'has all columns of something else',
      view('things_view', 't.id, p.* from things t, parents p'),
      /columns of p\.\* are not known/,
    ],
    ['has a column without a name', view('things_view', 't.id, count(*) from things t'), /count\(\*\) has no name/],
  ];
  for (const [what, text, message] of wrong)
    it(`are rejected where a view ${what}`, () => assert.throws(() => layersOf(text, own), message));
});
