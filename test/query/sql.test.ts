import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { resources } from '../../generated/resources.ts';
import type { Attribute } from '../../src/attributes/attributes.ts';
import { extend } from '../../src/attributes/fields.ts';
import { defaultLimits } from '../../src/core/call/limits.ts';
import type { Parameter } from '../../src/core/call/parameter.ts';
import { fieldsOf } from '../../src/core/resource/fields.ts';
import type { Resource } from '../../src/core/resource/resource.ts';
import { printCursor } from '../../src/query/cursor.ts';
import { type Comparison, printComparisons } from '../../src/query/filter.ts';
import { type EmbedPlan, type PlanContext, plan, type ReadPlan } from '../../src/query/plan.ts';
import { parseQuery } from '../../src/query/query.ts';
import { countStatement, embedStatement, readStatement } from '../../src/query/sql.ts';
import { probe } from '../support/probe.ts';

const schema = {
  resources: { probes: probe },
  principal: { tenant: { modules: new Set<never>(), timeZone: 'Europe/Berlin' } },
  limits: defaultLimits,
  fields: { get: fieldsOf },
};
const planOf = (parameters: readonly Parameter[]): ReadPlan => plan(parseQuery(parameters), probe, schema);
const statementOf = (asked: ReadPlan) => readStatement(asked, asked.fields, 7);
const where = (name: string, value: string) => {
  const { text, values } = statementOf(
    planOf([
      ['fields', 'id'],
      [name, value],
    ]),
  );
  const [, condition] = /where (.*) and "r"."tenant_id"|where "r"."tenant_id" = \$\d+ and (.*) order/.exec(text) ?? [];
  return { text: condition ?? text, values };
};

describe('readStatement', () => {
  it('selects the fields in their order, binds the tenant and orders by the key', () => {
    const { text, values, name } = statementOf(planOf([['fields', 'word,id']]));
    assert.equal(
      text,
      'select "r"."word" as "word", "r"."id" as "id" from "probes" as "r" where "r"."tenant_id" = $1 order by "r"."id" asc nulls last',
    );
    assert.deepEqual(values, ['7']);
    assert.ok(name && name.length <= 63);
  });

  it('joins no more records than a page in the order of the key has', () => {
    const given: readonly Parameter[] = [
      ['fields', 'id,location.name'],
      ['sort', '-id'],
      ['limit', '2'],
    ];
    const textOf = (more: readonly Parameter[]): string =>
      statementOf(plan(parseQuery([...given, ...more]), resources.events, { ...schema, resources })).text;
    const keys =
      'select "r"."id" as "id" from "events_own" as "r" where "r"."tenant_id" = $2 order by "r"."id" desc nulls first limit 3';
    assert.equal(
      textOf([]),
      `select "r"."id" as "id", "r"."location.name" as "location.name" from "events_view" as "r" where "r"."tenant_id" = $1 ` +
        `and ("r"."id" = any(array((${keys})))) order by "r"."id" desc nulls first`,
    );
    assert.doesNotMatch(textOf([['status', '6']]), /array/);
  });

  it('selects records with and without a value apart, in the order of a field of the tenant', () => {
    const own = {
      id: 1,
      type: 'number',
      entity: 'clients',
      slot: 'number_1',
      required: false,
      deleted: false,
    } as const;
    const set = extend(resources.clients, [{ ...own, category: null } as Attribute]);
    const fields = { get: (resource: Resource) => (resource === resources.clients ? set : fieldsOf(resource)) };
    const textOf = (sort: string, position: readonly (string | null)[] | null, filter: readonly Parameter[] = []) => {
      const query = parseQuery([['sort', sort], ['limit', '2'], ['fields', 'id'], ...filter]);
      const listing = plan(query, resources.clients, { ...schema, resources, fields: fields as PlanContext['fields'] });
      return statementOf({ ...listing, after: position }).text;
    };
    const [having, lacking] = ['"d"."number_1" is not null', '"d"."number_1" is null'];
    const name = 'dynamic_field_1';
    const apart = (first: string, second: string) =>
      new RegExp(`^with "former" as .*${first}.* limit 3\\), "latter" as .*${second}.*"former"\\)+ < 3`);
    assert.match(textOf(name, null), apart(having, lacking));
    assert.match(textOf(`-${name}`, null), apart(lacking, having));
    assert.match(textOf(name, ['1', '5']), apart(having, lacking));
    assert.match(textOf(`-${name}`, [null, '5']), apart(lacking, having));
    for (const text of [textOf(name, [null, '5']), textOf(name, null, [[name, 'null']])]) {
      assert.ok(text.includes(lacking) && !text.includes('former'), text);
      assert.doesNotMatch(text, /order by "d"/);
    }
    for (const text of [textOf(`-${name}`, ['1', '5']), textOf(name, null, [[name, '-null']])])
      assert.ok(!text.includes(lacking) && !text.includes('former'), text);
  });

  it('reads what the records of a page have from others once from each of these', () => {
    const query = parseQuery([
      ['fields', 'event.name,status'],
      ['limit', '2'],
    ]);
    const { text } = statementOf(plan(query, resources.assignments, { ...schema, resources }));
    const [, records, functions, events] =
      /^with "records" as materialized \((.*)\), "owners_0" as materialized \((.*)\), "owners_1" as materialized \((.*)\) select /.exec(
        text,
      ) ?? [];
    assert.match(
      records ?? '',
      /^select "r"."id" as "id", "r"."event_function_id" as "event_function_id", "r"."status" as "status" from "assignments_own" /,
    );
    assert.match(
      functions ?? '',
      /^select "r"."id" as "id", "r"."event_id" as "event_id" from "event_functions_own" .*\(select "event_function_id" as "id" from "records"\)/,
    );
    assert.match(
      events ?? '',
      /^select "r"."id" as "id", "r"."name" as "name" from "events_own" .*\(select "event_id" as "id" from "owners_0"\)/,
    );
    // A nested loop would look through all owners for each record; a full join cannot be one.
    assert.equal(text.match(/ full join /g)?.length, 2);
  });

  const conditions: [name: string, value: string, sql: RegExp, values: string[]][] = [
    ['whole', '5', /"r"\."whole" = \$\d::bigint/, ['5']],
    ['whole', '-5', /\("r"\."whole" = \$\d::bigint\) is not true/, ['5']],
    [
      'whole',
      '2,<2,>5',
      /\("r"\."whole" = \$\d::bigint or "r"\."whole" < \$\d::bigint or "r"\."whole" > \$\d::bigint\)/,
      ['2', '2', '5'],
    ],
    ['whole', '2,3', /"r"\."whole" = any\(\$\d::bigint\[\]\)/, ['{"2","3"}']],
    ['word', 'a\\,b,c"d\\\\', /= any\(\$\d::text\[\]\)/, ['{"a,b","c\\"d\\\\"}']],
    ['flag', 'true', /"r"\."flag" = \$\d::boolean/, ['true']],
    ['word', '~ab%', /fold_case\("r"\."word"\) collate "C" like fold_case\(\$\d::text\) collate "C"/, ['%ab\\%%']],
    ['word', '*a_b', /"r"\."word" like \$\d::text/, ['a\\_b%']],
    ['word', '', /"r"\."word" = \$\d::text/, ['']],
    ['word', ' Ma\u0308x ', /"r"\."word" = \$\d::text/, ['M\u00e4x']],
    ['word', 'null', /"r"\."word" is null/, []],
    ['parent.word', 'null', /and \(false\) order/, []],
    ['parent.word', '-null', /and \(\(false\) is not true\) order/, []],
    ['day', '>2026-04-01', /"r"\."day" > \$\d::date/, ['2026-04-01']],
    [
      'moment',
      '2026-04-01',
      /\("r"\."moment" >= \$\d::timestamptz and "r"\."moment" < \$\d::timestamptz\)/,
      ['2026-03-31T22:00:00Z', '2026-04-01T22:00:00Z'],
    ],
    ['moment', '>2026-04-01', /"r"\."moment" >= \$\d::timestamptz/, ['2026-04-01T22:00:00Z']],
    ['moment', '<=2026-04-01', /"r"\."moment" < \$\d::timestamptz/, ['2026-04-01T22:00:00Z']],
    ['moment', '~2026-04', /to_char\(.* at time zone 'UTC', .*\) like \$\d::text/, ['%2026-04%']],
    ['ids', '*5*', /"r"\."ids" @> \$\d::jsonb/, ['5']],
  ];
  for (const [name, value, sql, values] of conditions) {
    it(`writes ${name}=${value} with its values as parameters`, () => {
      const written = where(name, value);
      assert.match(written.text, sql);
      const bound = written.values.filter(bound => bound !== '7');
      assert.deepEqual(bound, values);
    });
  }

  it('compiles one statement for requests of one shape, and binds the values of each', () => {
    const one = statementOf(
      planOf([
        ['word', "x' or 1=1 --"],
        ['limit', '5'],
      ]),
    );
    const same = planOf([
      ['word', 'y'],
      ['limit', '5'],
    ]);
    const other = readStatement(same, same.fields, 8);
    assert.equal(one.text, other.text);
    assert.equal(one.name, other.name);
    assert.ok(!one.text.includes('1=1'));
    assert.deepEqual([...other.values].sort(), ['8', 'y']);
  });

  it('writes nothing of the values into the text of a statement, whatever SQL takes them for', () => {
    const value = fc
      .string({ unit: fc.constantFrom(...`b0'";-/%_\\*~<>=,$(){}|`), maxLength: 30 })
      .map(text => `${text}mark${text}`);
    const shape = fc.constantFrom<(given: string) => Comparison>(
      given => ({ kind: 'equal', not: false, value: given }),
      given => ({ kind: 'equal', not: true, value: given }),
      given => ({ kind: 'order', operator: '<=', value: given }),
      given => ({ kind: 'match', not: false, place: 'start', fold: false, value: given }),
      given => ({ kind: 'match', not: true, place: 'anywhere', fold: true, value: given }),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(shape, value), { minLength: 1, maxLength: 4 }), made => {
        const written = printComparisons(made.map(([of, given]) => of(given)));
        const { text, values } = statementOf(planOf([['word', written]]));
        assert.doesNotMatch(text, /mark/);
        assert.match(values.join(), /mark/);
      }),
      { numRuns: 500 },
    );
  });

  it('writes the limit as a literal, so that a generic plan knows it', () => {
    const { text, values } = statementOf(planOf([['limit', '9']]));
    // That of the next larger size which has a statement, and one more.
    assert.match(text, / limit 11$/);
    assert.deepEqual(values, ['7']);
  });

  it('adds `is not null` for a computed field that is never null and that it orders by', () => {
    const { text } = statementOf(planOf([['sort', '-parent.word']]));
    assert.match(text, /"r"\."parent\.word" is not null/);
    assert.match(text, /order by "r"\."parent\.word" desc nulls first, "r"\."id" asc nulls last/);
  });

  it('sorts the records that have the value of the first field, without filters', () => {
    const sorted: readonly Parameter[] = [
      ['fields', 'id'],
      ['sort', '-client_id,status'],
    ];
    const textOf = (more: readonly Parameter[]) =>
      statementOf(plan(parseQuery([...sorted, ...more]), resources.assignments, { ...schema, resources })).text;
    const limit: Parameter = ['limit', '2'];
    const events =
      'from (select "r"."id" as "id", "r"."client_id" as "value" from "events_planned" as "r" where "r"."tenant_id" = $1 ' +
      'order by "r"."client_id" desc nulls first) as "o"';
    assert.equal(
      textOf([limit]),
      `select "r"."id" as "id" ${events} inner join "assignments_placed" as "r" on "r"."tenant_id" = $2 ` +
        'and ("r"."event_id" = "o"."id") order by "o"."value" desc nulls first, "r"."status" asc nulls last, "r"."id" asc nulls last limit 3',
    );
    for (const more of [[], [limit, ['status', '6']]] as const) assert.doesNotMatch(textOf(more), /"o"/);
  });

  it('sorts them through all records between', () => {
    const parameters: readonly Parameter[] = [
      ['fields', 'id'],
      ['sort', 'client_id'],
      ['limit', '2'],
    ];
    const kept = resources['assignment-billings'];
    const owner = { resource: 'assignments', by: 'assignment_id', field: 'client_id' };
    // A value of an owner that has it from its own owner.
    const fields = kept.fields.map(field =>
      field.name === 'client_id' ? { ...field, computed: true as const, owner } : field,
    );
    const listing = plan(parseQuery(parameters), { ...kept, fields }, { ...schema, resources });
    assert.match(
      statementOf(listing).text,
      /"events_planned" .* as "o" inner join "assignments_placed" as "o0" on .* and \("o0"\."event_id" = "o"\."id"\) inner join "assignment_billings" as "r" on .* and \("r"\."assignment_id" = "o0"\."id"\) where .* order by "o"\."value" asc nulls last, "r"\."id" asc nulls last limit 3\)/,
    );
  });

  it('looks for records whose owners have no value only if there are such owners', () => {
    const textOf = (value: string) => {
      const parameters: readonly Parameter[] = [
        ['fields', 'id'],
        ['client_id', value],
      ];
      const listing = plan(parseQuery(parameters), resources.assignments, { ...schema, resources });
      return statementOf(listing).text;
    };
    const exists = /select count\(\*\) as "count" from "events_planned" .*"r"\."client_id" is null\)+ > 0/;
    assert.match(textOf('null'), exists);
    for (const value of ['-null', 'null,7', '7']) assert.doesNotMatch(textOf(value), exists, value);
  });

  it('looks for records without any of several values only if there are owners without the last of these', () => {
    const parameters: readonly Parameter[] = [
      ['fields', 'id'],
      ['wage_profile_id', 'null'],
    ];
    const { text } = statementOf(plan(parseQuery(parameters), resources.assignments, { ...schema, resources }));
    assert.match(text, /from "event_functions_view" .*"r"\."default_wage_profile_id" is null\)+ > 0/);
  });

  it('looks for records with the first of several values among the next ones, and then among those that can have it', () => {
    const textOf = (name: string, value: string, more: readonly Parameter[] = []) => {
      const parameters: readonly Parameter[] = [['fields', 'id'], [name, value], ['limit', '2'], ...more];
      return statementOf(plan(parseQuery(parameters), resources.assignments, { ...schema, resources })).text;
    };
    const next =
      /^with "first" as materialized \(.* any\(array\(\(.* order by "r"\."id" asc nulls last limit 500\)\)\)/;
    const canHave = / or "r"\."employee_id" in \(select "r"\."id" as "key" from "employees" as "r" /;
    for (const value of ['7', '7,8']) {
      assert.match(textOf('wage_profile_id', value), next);
      assert.match(textOf('wage_profile_id', value), canHave);
      assert.match(textOf('statistics', value), next);
      assert.doesNotMatch(textOf('statistics', value), / in \(select /);
      assert.match(textOf('statistics', value), /"others_1" .* inner join \(select .* from "event_functions_planned" /);
    }
    assert.match(textOf('statistics', 'null'), next);
    assert.doesNotMatch(textOf('statistics', 'null'), /"others_1"/);
    assert.match(textOf('wage_profile_id', 'null'), next);
    assert.doesNotMatch(textOf('wage_profile_id', 'null'), canHave);
    for (const value of ['-7', '>7', '7,null']) assert.doesNotMatch(textOf('wage_profile_id', value), next);
    for (const more of [
      ['status', '6'],
      ['sort', 'start'],
    ] as const)
      assert.doesNotMatch(textOf('wage_profile_id', '7', [more]), next);
  });

  it('looks for a page in the order of others’ values among the next records, and at what values come from for one before theirs', () => {
    const textOf = (sort: string, after: ReadPlan['after'] = null) => {
      const parameters: readonly Parameter[] = [
        ['fields', 'id'],
        ['sort', sort],
        ['limit', '2'],
      ];
      const listing = plan(parseQuery(parameters), resources.assignments, { ...schema, resources });
      return statementOf({ ...listing, after }).text;
    };
    const next =
      /^with "next" as materialized \(.* any\(array\(\(.* order by "r"\."id" asc nulls last limit 500\)\)\)\)/;
    const least = / from "events_planned" .*"client_id" is not null\) order by .* limit 1\)/;
    for (const sort of ['client_id', '-client_id', 'event.auto_assign_enabled', 'statistics'])
      assert.match(textOf(sort), next);
    for (const sort of ['client_id', '-client_id']) {
      assert.match(textOf(sort), least);
      assert.doesNotMatch(textOf(sort, ['3', '5']), least);
    }
    assert.match(textOf('-client_id', [null, '5']), /r\.value is not distinct from null/);
    assert.match(textOf('-event.auto_assign_enabled'), /r\.value is not distinct from true/);
    assert.doesNotMatch(textOf('-event.auto_assign_enabled'), /coalesce/);
    assert.match(
      textOf('statistics'),
      /"sorted_0" .*"own_statistics" is not null .*"sorted_1" .*"own_statistics" is null/,
    );
    for (const sort of ['event.name', 'client_id,-start']) assert.doesNotMatch(textOf(sort), next);
  });

  it('says that the record exists that has the value of a condition which few records may meet', () => {
    const textOf = (value: string) =>
      statementOf(
        plan(
          parseQuery([
            ['fields', 'id'],
            ['client_id', value],
          ]),
          resources.assignments,
          { ...schema, resources },
        ),
      ).text;
    for (const value of ['7', '7,8']) assert.match(textOf(value), /"r"\."project_id" is not null/, value);
    for (const value of ['-7', 'null', '-null', '>7', '7,>8'])
      assert.doesNotMatch(textOf(value), /"project_id"/, value);
  });

  it('continues after a position, nulls last ascending and first descending', () => {
    const sorted: Parameter[] = [
      ['fields', 'id'],
      ['sort', 'word'],
      ['limit', '2'],
    ];
    const { bound } = planOf(sorted);
    const at = (word: string | null) => planOf([...sorted, ['cursor', printCursor([word, '4'], bound)]]);
    assert.match(
      statementOf(at('m')).text,
      /\("r"\."word" >= \$\d::text or "r"\."word" is null\) and \("r"\."word" is distinct from \$\d::text or "r"\."id" > \$\d::bigint\)/,
    );
    assert.match(
      statementOf(at(null)).text,
      /"r"\."word" is null and "r"\."id" > \$\d::bigint\) order by "r"\."id" asc nulls last limit 3$/,
    );
  });
});

describe('embedStatement', () => {
  it('reads the related records of all keys at once', () => {
    const [embed] = planOf([['embed', 'children.word']]).embeds;
    const { text, values } = embedStatement(embed as EmbedPlan, ['1', '2'], 7);
    assert.match(
      text,
      /= any\(\$\d::bigint\[\]\).* order by "r"\."parent_id" asc nulls last, "r"\."id" asc nulls last$/,
    );
    assert.deepEqual([...new Set(values)].sort(), ['7', '{1,2}']);
    assert.match(text, /limit \d+\) as "found"\) <= \d+ then true else embed_overflow\('children'\) end/);
  });
});

describe('countStatement', () => {
  it('counts the records that match the filters, on all pages', () => {
    const { text } = countStatement(
      planOf([
        ['whole', '>3'],
        ['limit', '1'],
      ]),
      7,
    );
    assert.match(text, /^select count\(\*\) as "count" from "probes" as "r" where .*whole/);
    assert.doesNotMatch(text, /limit|order/);
  });
});

describe('plan', () => {
  const refused: [parameters: Parameter[], code: string, message: RegExp][] = [
    [[['wrd', 'a']], 'unknown_field', /Did you mean word\?/],
    [[['fields', 'id,nonsense']], 'unknown_field', /^fields: nonsense/],
    [[['sort', 'nonsense']], 'unknown_field', /sort/],
    [[['sort', 'ids']], 'invalid_sort', /no order/],
    [[['embed', 'parents']], 'unknown_relation', /Did you mean parent\?/],
    [[['embed', 'parent.children']], 'embed_too_deep', /children is a relation of .*one level/],
    [[['embed', 'parent.wrd']], 'unknown_field', /^embed: wrd is not a field of .*Did you mean word\?/],
    [[['embed', 'parent.wrd.children']], 'unknown_field', /^embed: wrd\.children is not a field/],
    [[['embed', 'parent.children.id']], 'embed_too_deep', /one level/],
    [[['whole', 'many']], 'invalid_filter', /whole.*"many".*whole number/],
    [[['whole', '9223372036854775808']], 'invalid_filter', /whole number/],
    [[['whole', '*5*']], 'invalid_filter', /string or date/],
    [[['whole', '']], 'invalid_filter', /whole number/],
    [[['whole', 'x'.repeat(100)]], 'invalid_filter', /^whole: "x{64}" is not/],
    [[['n'.repeat(100), '1']], 'unknown_field', /^n{64} is neither/],
    [[['authorization_bearer', 'x']], 'unknown_field', /^authorization_bearer is read only with callback.*brackets\.$/],
    [[['callback[]', 'x']], 'unknown_field', /^callback is read only without brackets\.$/],
    [[['amount', '1e']], 'invalid_filter', /number/],
    [[['amount', '1e400']], 'invalid_filter', /number/],
    [[['amount', '>1e-400']], 'invalid_filter', /number/],
    [[['flag', '2']], 'invalid_filter', /flag/],
    [[['day', '2026-02-30']], 'invalid_filter', /date/],
    [[['moment', 'noon']], 'invalid_filter', /date-time/],
    [[['moment', '>=2026-04-01T00:00:00 02:00']], 'invalid_filter', /write the \+ of the offset as %2B/],
    [[['moment', '2026-04-01 12:00 0200']], 'invalid_filter', /%2B/],
    [[['ids', '5']], 'invalid_filter', /null, -null and \*value\*/],
    [[['cursor', 'bm9uc2Vuc2U']], 'invalid_cursor', /not returned/],
    [[['whole', Array(501).fill('<1').join(',')]], 'invalid_parameter', /501 filter values/],
    [[['word', `*${'x'.repeat(1025)}*`]], 'invalid_parameter', /1025 bytes in a filter value/],
    [Array.from({ length: 51 }, (): Parameter => ['whole[]', '1']), 'invalid_parameter', /51 filter conditions/],
    [
      [['sort', 'id,whole,amount,flag,word,day,moment,parent_id,parent.word,a,b']],
      'invalid_parameter',
      /11 sort fields/,
    ],
    [[['embed', 'a,b,c,d,e,f']], 'invalid_parameter', /6 embedded relations/],
  ];
  for (const [parameters, code, message] of refused) {
    const shown = JSON.stringify(parameters).slice(0, 60);
    it(`rejects ${shown} with ${code}`, () => assert.throws(() => planOf(parameters), { code, message }));
  }

  it('rejects a cursor of another listing', () => {
    const { bound } = planOf([['word', 'a']]);
    for (const [word, listing] of [
      ['b', bound.listing],
      ['a', 'others'],
    ] as const)
      assert.throws(
        () =>
          planOf([
            ['word', word],
            ['cursor', printCursor(['4'], { ...bound, listing })],
          ]),
        { code: 'invalid_cursor' },
      );
  });

  it('expands a dotted prefix to all fields below it, and accepts both names of a relation', () => {
    assert.deepEqual(
      planOf([['fields', 'parent']]).fields.map(({ name }) => name),
      ['parent.word'],
    );
    assert.deepEqual(
      planOf([['embed', 'parent,probeParent']]).embeds.map(({ name, relation }) => [name, relation.name]),
      [
        ['parent', 'probeParent'],
        ['probeParent', 'probeParent'],
      ],
    );
  });
});
