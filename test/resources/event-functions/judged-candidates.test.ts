import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { modules } from '../../../generated/modules.ts';
import { resources } from '../../../generated/resources.ts';
import { createRandom } from '../../../src/demo/random.ts';
import { createApiUser } from '../../../src/tenancy/api-users.ts';
import { Staffing } from '../../domain/staffing/scene.ts';
import type { ApiResponse, Client } from '../../support/app.ts';
import { forAnyApp } from '../../support/for-each-app.ts';

const HOUR = 3_600_000;
const start = Date.parse('2036-10-13T00:00:00Z');
const at = (hours: number): string => new Date(start + hours * HOUR).toISOString();
const warningsOf = ({ headers }: ApiResponse) => JSON.parse(String(headers['x-warnings'] ?? '[]'));

/** The rules of the random pairs: each kind, both modes, scopes and exceptions. */
const rulesFor = ({ employees, skill, place, profile }: Readonly<Record<string, number>> & { employees: number }) => [
  { kind: 'rest', mode: 'refuse', parameters: { minutes: 660 } },
  { kind: 'rest', parameters: { minutes: 720 }, applies_to: { age_below: 18 } },
  { kind: 'hours_per_day', parameters: { minutes: 480 }, except: { employee_ids: [employees] } },
  { kind: 'span_per_day', mode: 'refuse', parameters: { minutes: 660 }, applies_to: { qualification_ids: [skill] } },
  { kind: 'hours_per_week', parameters: { minutes: 1200 }, basis: 'planned' },
  { kind: 'weekly_rest', mode: 'refuse', parameters: { minutes: 2400, per_days: 7 } },
  { kind: 'days_in_a_row', parameters: { days: 3 }, applies_to: { wage_profile_ids: [profile] } },
  { kind: 'breaks', parameters: { steps: [{ over: 360, minutes: 30 }], longest: 360 } },
  { kind: 'night', parameters: { from: '23:00', to: '06:00', over: 60, minutes: 480, in_a_row: 2 } },
  { kind: 'forbidden_hours', parameters: { windows: [{ from: '20:00', to: '06:00' }] }, applies_to: { age_below: 18 } },
  { kind: 'hours_per_day', mode: 'refuse', parameters: { minutes: 360 }, applies_to: { function_ids: [place] } },
  { kind: 'average_hours', mode: 'refuse', parameters: { minutes: 900, weeks: 3 } },
  { kind: 'average_hours', parameters: { minutes: 600, weeks: 2 }, applies_to: { employee_ids: [employees] } },
  { kind: 'hire_out', parameters: { months: 1, gap_months: 1 } },
];

forAnyApp((_, app) => {
  it('random candidates are judged as a write with dry_run would be', { timeout: 240_000 }, async () => {
    const client = await app.newClient();
    const staffing = new Staffing(client);
    const random = createRandom(7);
    const skill = await staffing.qualification();
    const profile = await staffing.create('wage-profiles', { name: 'Evenings' });
    const employees: number[] = [];
    for (let index = 0; index < 15; index++)
      employees.push(
        await staffing.employee({
          birthday: random.pick([null, '2000-01-01', '2019-05-05', '2018-10-20']),
          qualifications: random.chance(0.5) ? [skill] : [],
          ...(random.chance(0.3) && { wage_profile_id: profile }),
        }),
      );
    const shift = async () => {
      const from = random.integer(0, 22 * 24);
      const length = random.integer(2, 11);
      const pause = random.chance(0.3) && { break_start: at(from + 1), break_end: at(from + 1.5) };
      return staffing.shift(at(from), at(from + length), { quantity: 50, ...pause });
    };
    for (const employee of employees)
      for (let count = random.integer(0, 9); count > 0; count--) {
        const id = await staffing.assignment(employee, await shift(), 1);
        await staffing.setStatus(id, random.pick([6, 6, 6, 5]), '?force=true');
        if (!random.chance(0.2)) continue;
        const { body } = await client.call('GET', `/assignments/${id}`);
        const end = new Date(Date.parse(body.end) + random.integer(-1, 3) * HOUR).toISOString();
        if (end > body.start)
          await client.call('POST', '/work-times', {
            body: { event_function_employee_id: id, start: body.start, end },
          });
      }
    for (let count = 0; count < 6; count++) {
      const from = random.integer(0, 22 * 24);
      const times = { start: at(from), end: at(from + 5), counts_as_work: 1 };
      await staffing.create('busy-dates', { employee_id: random.pick(employees), ...times });
    }
    const places: number[] = [];
    for (let index = 0; index < 20; index++) places.push(await shift());
    const { body: place } = await client.call('GET', `/event-functions/${places[0]}`);
    const [first] = employees as [number];
    for (const { id } of (await client.call('GET', '/work-rules')).body)
      await client.call('DELETE', `/work-rules/${id}`);
    for (const rule of rulesFor({ employees: first, skill, profile, place: place.function_id }))
      await staffing.create('work-rules', { name: rule.kind, ...rule });
    let pairs = 0;
    const said = { refused: 0, warned: 0, neither: 0 };
    for (const event_function_id of places) {
      const { body: candidates } = await client.call('GET', `/event-functions/${event_function_id}/candidates`);
      assert.equal(candidates.length, employees.length);
      for (const { employee_id, rules } of candidates) {
        const body = { employee_id, event_function_id, status: 6 };
        const refused = await client.call('POST', '/assignments?dry_run=true', { body });
        const isRefused = refused.status !== 201;
        const warned = isRefused
          ? await client.call('POST', '/assignments?dry_run=true&force=true', { body })
          : refused;
        assert.equal(warned.status, 201, warned.text);
        const errors = (refused.body.errors ?? []).filter(({ code }: { code: string }) => code === 'work_rule');
        const message = JSON.stringify({ event_function_id, employee_id, rules, errors, warnings: warningsOf(warned) });
        assert.equal(rules.refused > 0, errors.length > 0, message);
        assert.equal(rules.refused, errors.length, message);
        assert.equal(rules.warned > 0, warningsOf(warned).length > 0, message);
        const shown = [
          ...errors.map(({ code, field, message, ...breach }: Record<string, unknown>) => breach),
          ...warningsOf(warned),
        ];
        const isShort = ({ kind }: { kind: string }) => kind !== 'average_hours' && kind !== 'hire_out';
        assert.equal(rules.passed, Number(!rules.breaches.some(isShort)), message);
        if (shown.length <= 10) assert.deepEqual(sorted(rules.breaches), sorted(shown), message);
        said.refused += Number(rules.refused > 0);
        said.warned += Number(rules.warned > 0);
        said.neither += Number(rules.breaches.length === 0);
        pairs++;
      }
    }
    assert.equal(pairs, 300);
    for (const [verdict, count] of Object.entries(said)) assert.ok(count > 20, `${verdict}: ${count}`);
  });
});

const sorted = (breaches: readonly object[]): string[] => breaches.map(breach => JSON.stringify(breach)).sort();

/** What the tests look at. */
interface ShownCandidate {
  readonly employee_id: number;
  readonly score: number;
  readonly rested: { readonly passed: number; readonly reason: string | null };
  readonly rules: { readonly passed: number; readonly refused: number; readonly warned: number };
}

const evening = ['2036-06-12T16:00:00Z', '2036-06-12T22:00:00Z'] as const;
const morning = ['2036-06-13T08:00:00Z', '2036-06-13T12:00:00Z'] as const;

forAnyApp((_, app) => {
  describe('what working-time rules say of candidates', () => {
    let client: Client;
    let staffing: Staffing;
    let tired: number;
    let rested: number;
    let place: number;
    before(async () => {
      client = await app.newClient();
      staffing = new Staffing(client);
      [tired, rested] = [await staffing.employee(), await staffing.employee()];
      await staffing.assignment(tired, await staffing.shift(...evening), 6);
      place = await staffing.shift(...morning);
    });
    const read = async (query = '') => (await client.call('GET', `/event-functions/${place}/candidates${query}`)).body;

    it('lowers the score once, and shows in `rested` only for rules of rest', async () => {
      const found = (await read()) as ShownCandidate[];
      assert.deepEqual(
        found.map(({ employee_id, score, rested: check, rules }) => [employee_id, score, check, rules.warned]),
        [
          [rested, 4, { passed: 1, reason: null }, 0],
          [tired, 3, { passed: 0, reason: 'rest_time' }, 1],
        ],
      );
      const { body: rule } = await client.call('POST', '/work-rules', {
        body: { name: 'Four hours', kind: 'hours_per_day', parameters: { minutes: 180 }, mode: 'refuse' },
      });
      const worse = (await read()) as ShownCandidate[];
      assert.deepEqual(
        worse.map(({ score, rested: check, rules }) => [
          score,
          check.passed,
          rules.passed,
          rules.refused,
          rules.warned,
        ]),
        [
          [3, 0, 0, 1, 1],
          [3, 1, 0, 1, 0],
        ],
      );
      await client.call('DELETE', `/work-rules/${rule.id}`);
    });

    it('counts rules that look far only beside the score', async () => {
      const { body: rule } = await client.call('POST', '/work-rules', {
        body: { name: 'Average', kind: 'average_hours', parameters: { minutes: 180, weeks: 1 }, mode: 'refuse' },
      });
      const [best] = (await read()) as ShownCandidate[];
      assert.deepEqual([best?.employee_id, best?.score, best?.rules.passed, best?.rules.refused], [rested, 4, 1, 1]);
      await client.call('DELETE', `/work-rules/${rule.id}`);
    });

    it('keeps to filters, fields, pages, counts and formats', async () => {
      assert.deepEqual(await read('?fields=rules&score=3'), [{ rules: (await read())[1].rules }]);
      assert.deepEqual(await read('?fields=employee_id&sort=-score'), [
        { employee_id: rested },
        { employee_id: tired },
      ]);
      const first = await client.call('GET', `/event-functions/${place}/candidates?limit=1&count=true`);
      assert.deepEqual([first.body[0].employee_id, first.headers['x-total-count']], [rested, '2']);
      const next = /<\/api\/v1([^>]+)>/.exec(String(first.headers.link))?.[1] ?? '';
      const { body: second } = await client.call('GET', next);
      assert.deepEqual([second[0].employee_id, second[0].rules.warned], [tired, 1]);
      const embedded = await read('?embed=employee.id&fields=rules');
      assert.deepEqual([embedded[1].rules.warned, embedded[1].employee], [1, { id: tired }]);
      assert.deepEqual(await read('?rules=null'), []);
      const csv = await client.call('GET', `/event-functions/${place}/candidates.csv`);
      assert.match(csv.text, /""warned"":1/);
    });

    it('says nothing of assignments to who cannot read them', async () => {
      const scopes = ['event-functions:read', 'employees:read'];
      const { id } = await createApiUser(client.database, client.tenant, { name: 'Few', readOnly: false, scopes });
      const few = { tenant: client.tenant, token: await app.tokenOf(client.tenant, id) };
      const { body } = await app.callAs(few, 'GET', `/event-functions/${place}/candidates`);
      const [breach] = body[1].rules.breaches;
      assert.deepEqual([breach.actual, 'start' in breach, 'assignment_ids' in breach], [600, false, false]);
    });

    it('is a whole listing, however many there are', async () => {
      const text = `insert into employees (tenant_id, id, status, firstname, lastname, qualifications)
        select $1, 5000 + n, 4, 'Many', 'N' || n, '[]' from generate_series(1, 1200) n returning id as journal_id`;
      const values = [String(client.tenant.id)];
      await client.database.asOwner(client.tenant.id, ({ send }) => send({ name: null, text, values }));
      const all = (await read()) as ShownCandidate[];
      assert.equal(all.length, 1202);
      assert.deepEqual(
        all.filter(({ rules }) => rules.passed === 0).map(({ employee_id }) => employee_id),
        [tired],
      );
      assert.equal(all.at(-1)?.employee_id, tired);
    });
  });

  it('counts work that is recorded nearer than it is planned, before and after, as a write does', async () => {
    const client = await app.newClient();
    const staffing = new Staffing(client);
    const day = await staffing.shift('2036-06-12T06:00:00Z', '2036-06-12T16:00:00Z');
    const before = await staffing.assignment(await staffing.employee(), day, 6);
    const after = await staffing.assignment(
      await staffing.employee(),
      await staffing.shift('2036-06-14T06:00:00Z', '2036-06-14T12:00:00Z'),
      6,
    );
    for (const [event_function_employee_id, start, end] of [
      [before, '2036-06-12T06:00:00Z', '2036-06-12T21:00:00Z'],
      [after, '2036-06-13T20:00:00Z', '2036-06-14T02:00:00Z'],
    ])
      await staffing.create('work-times', { event_function_employee_id, start, end });
    const event_function_id = await staffing.shift('2036-06-13T06:00:00Z', '2036-06-13T12:00:00Z');
    const { body } = await client.call('GET', `/event-functions/${event_function_id}/candidates`);
    assert.equal(body.length, 2);
    for (const { employee_id, rules, rested } of body) {
      const wanted = { employee_id, event_function_id, status: 6 };
      const warned = warningsOf(await client.call('POST', '/assignments?dry_run=true', { body: wanted }));
      assert.equal(warned.length, 1);
      assert.deepEqual([rules.breaches, rules.passed, rested.passed], [warned, 0, 0]);
    }
  });

  it('derives from all that rules ask of work', () => {
    const { derivedFrom = [] } = resources.candidates.fields.find(({ name }) => name === 'rules') ?? {};
    const times = ['start', 'end', 'break_start', 'break_end'];
    const asked = {
      assignments: [...times, 'event_function_id', 'status', 'wage_profile_id'],
      'busy-dates': ['start', 'end', 'counts_as_work'],
      employees: ['birthday', 'qualifications', 'wage_profile_id'],
      'event-functions': [...times, 'event_id', 'function_id', 'location_id', 'wage_profile_id'],
      events: [...times, 'client_id', 'location_id', 'project_id', 'status'],
      functions: ['wage_profile_id'],
      locations: ['country'],
      projects: ['client_id'],
      'wage-profiles': ['deleted', 'is_default'],
      'work-rules': [
        ...['applies_to', 'basis', 'except', 'kind', 'mode', 'parameters', 'time_zone', 'valid_from', 'valid_to'],
      ],
      'work-times': times,
    };
    const wanted = Object.entries(asked).flatMap(([name, fields]) => fields.map(field => `${name}.${field}`));
    assert.deepEqual(
      wanted.filter(source => !derivedFrom.includes(source)),
      [],
    );
  });

  it('without the module, eleven hours count, and nothing else', async () => {
    const client = await app.newClient({ modules: new Set(modules.filter(name => name !== 'rules')) });
    const staffing = new Staffing(client);
    const tired = await staffing.employee();
    await staffing.assignment(tired, await staffing.shift(...evening), 6);
    const path = `/event-functions/${await staffing.shift(...morning)}/candidates`;
    const { body } = await client.call('GET', path);
    assert.deepEqual([body[0].score, body[0].rested, body[0].rules], [3, { passed: 0, reason: 'rest_time' }, null]);
    assert.deepEqual((await client.call('GET', `${path}?rules=-null`)).body, []);
  });
});
