import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Parameter } from '../../src/core/call/parameter.ts';
import { suggestion } from '../../src/core/names.ts';
import { parseEmbeds, parseQuery } from '../../src/query/query.ts';
import { parseSort } from '../../src/query/sort.ts';

const up = (field: string) => ({ field, descending: false });
const down = (field: string) => ({ field, descending: true });

describe('parseSort', () => {
  const cases: [text: string, want: ReturnType<typeof parseSort>][] = [
    ['name', [up('name')]],
    ['-start,name', [down('start'), up('name')]],
    ['+name', [up('name')]],
    [' name', [up('name')]],
    ['event.start', [up('event.start')]],
  ];
  for (const [text, want] of cases) it(`reads ${JSON.stringify(text)}`, () => assert.deepEqual(parseSort(text), want));

  for (const text of ['', 'a,', '-', 'a,-a']) {
    it(`rejects ${JSON.stringify(text)}`, () => assert.throws(() => parseSort(text), { code: 'invalid_sort' }));
  }
});

describe('parseEmbeds', () => {
  const cases: [text: string, want: ReturnType<typeof parseEmbeds>][] = [
    ['client', [{ relation: 'client', fields: null }]],
    ['client.id,client.name', [{ relation: 'client', fields: ['id', 'name'] }]],
    [
      'client.id,events',
      [
        { relation: 'client', fields: ['id'] },
        { relation: 'events', fields: null },
      ],
    ],
    ['client,client.id', [{ relation: 'client', fields: null }]],
    ['client.id,client', [{ relation: 'client', fields: null }]],
    ['clientEvents.project.name', [{ relation: 'clientEvents', fields: ['project.name'] }]],
  ];
  for (const [text, want] of cases) it(`reads ${text}`, () => assert.deepEqual(parseEmbeds(text), want));

  it('rejects an empty entry', () => assert.throws(() => parseEmbeds('client,'), { code: 'invalid_parameter' }));
});

describe('parseQuery', () => {
  it('selects everything without parameters', () => {
    assert.deepEqual(parseQuery([]), {
      fields: null,
      sort: [],
      embed: [],
      filters: [],
      limit: null,
      cursor: null,
      count: false,
    });
  });

  it('rejects a parameter that is not a filter in brackets', () => {
    for (const name of ['fields[]', 'sort[]', 'limit[]'])
      assert.throws(() => parseQuery([[name, 'id']]), { code: 'invalid_parameter', message: /without brackets/ });
  });

  it('joins repeated conditions on a field, with and without brackets', () => {
    const parameters: Parameter[] = [
      ['name[]', 'a'],
      ['id', '1'],
      ['name[]', 'b,c'],
      ['name', 'd'],
    ];
    const { filters } = parseQuery(parameters);
    assert.deepEqual(
      filters.map(({ field, all }) => [field, all.map(group => group.length)]),
      [
        ['name', [1, 2, 1]],
        ['id', [1]],
      ],
    );
  });

  const refused: [parameters: Parameter[], code: string][] = [
    [
      [
        ['sort', 'a'],
        ['sort', 'b'],
      ],
      'invalid_parameter',
    ],
    [[['limit', '0']], 'invalid_parameter'],
    [[['limit', '1001']], 'invalid_parameter'],
    [[['limit', 'ten']], 'invalid_parameter'],
    [[['fields', '']], 'invalid_parameter'],
    [[['sort', '']], 'invalid_sort'],
  ];
  for (const [parameters, code] of refused) {
    it(`rejects ${JSON.stringify(parameters)}`, () => assert.throws(() => parseQuery(parameters), { code }));
  }

  it('treats names of prototype members as filters like any other', () => {
    const { filters } = parseQuery([
      ['__proto__', '1'],
      ['constructor', '2'],
      ['toString', '3'],
    ]);
    assert.deepEqual(
      filters.map(({ field }) => field),
      ['__proto__', 'constructor', 'toString'],
    );
  });
});

describe('suggestion', () => {
  const known = ['company', 'city', 'created_at'];
  it('suggests the name that a typo meant', () => assert.equal(suggestion('compny', known), ' Did you mean company?'));
  it('is empty if no name is similar', () => assert.equal(suggestion('salary', known), ''));
});
