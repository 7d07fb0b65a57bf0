import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { errorsOf } from '../../domain/staffing/scene.ts';
import { Payroll } from '../../domain/work/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';

forAnyApp(client => {
  const payroll = new Payroll(client);

  describe('the default wage profile', () => {
    const put = (id: number, body: object) => payroll.put(`/wage-profiles/${id}`, body);
    const oneTypes = [{ id: 1, name: 'Hours', value: 10 }];

    it('of a new tenant pays hours at the rate 0, and its name says so', async () => {
      const [profile] = await payroll.list('/wage-profiles?is_default=1');
      assert.match(profile.name, /hours are paid 0/);
      assert.deepEqual(profile.wage_types, [{ id: 1, name: 'hours', type: '1', unit: 'hour', value: 0 }]);
    });

    it('is the only one that is not deleted', async () => {
      const [{ id: first }] = await payroll.list('/wage-profiles?is_default=1');
      const second = await payroll.profile(oneTypes);
      const rejected = await put(second, { is_default: 1 });
      assert.deepEqual(errorsOf(rejected), [['not_unique', 'is_default']]);
      assert.ok(rejected.body.errors[0].message.includes(String(first)), rejected.text);
      assert.equal((await put(first, { deleted: 1 })).status, 200);
      assert.equal((await put(second, { is_default: 1 })).status, 200);
      assert.deepEqual(errorsOf(await put(first, { deleted: 0 })), [['not_unique', 'is_default']]);
      assert.equal((await put(second, { is_default: 0 })).status, 200);
      assert.equal((await put(first, { deleted: 0 })).status, 200);
    });

    it('applies where no other does, also as the default of a filter and of wage proposals', async () => {
      const [{ id: profile }] = await payroll.list('/wage-profiles?is_default=1');
      const id = await payroll.assignment({ profile: null });
      const shown = await payroll.list(`/assignments?id=${id}&wage_profile_id=${profile}`);
      assert.deepEqual(
        shown.map(({ wage_profile_id }) => wage_profile_id),
        [profile],
      );
      const proposal = await payroll.post('wage-proposals', { assignment_id: id, wage_type_id: 1, value: 2 });
      assert.equal((await payroll.list(`/wage-proposals?id=${proposal}`))[0]['wage_type.name'], 'hours');
    });
  });

  describe('a wage profile', () => {
    const wrong: readonly [says: string, types: unknown[], code: string, place: string][] = [
      ['has no name', [{ id: 1 }], 'not_empty', '0.name'],
      ['has a field that there is not', [{ id: 1, name: 'A', rate: 3 }], 'unknown_field', '0.rate'],
      ['has another kind', [{ id: 1, name: 'A', type: '9' }], 'not_in_enumeration', '0.type'],
      ['has a kind that is no text', [{ id: 1, name: 'A', type: 1 }], 'invalid_type', '0.type'],
      ['has a value below nothing', [{ id: 1, name: 'A', value: -1 }], 'out_of_range', '0.value'],
      ['has a value that is no number', [{ id: 1, name: 'A', value: '14.5' }], 'invalid_type', '0.value'],
      ['has a value of five places', [{ id: 1, name: 'A', value: 1.00001 }], 'out_of_range', '0.value'],
      ['pays too much', [{ id: 1, name: 'A', value: 999_999, factor: 2 }], 'out_of_range', '0.value'],
      [
        'has an id twice',
        [
          { id: 1, name: 'A' },
          { id: 1, name: 'B' },
        ],
        'not_unique',
        '1.id',
      ],
      [
        'has an eighth day',
        [{ id: 1, name: 'A', windows: [{ week_days: [8] }] }],
        'out_of_range',
        '0.windows.0.week_days.0',
      ],
      [
        'has half an hour too much',
        [{ id: 1, name: 'A', windows: [{ from: '24:30' }] }],
        'invalid_format',
        '0.windows.0.from',
      ],
      [
        'has a window of another shape',
        [{ id: 1, name: 'A', windows: [{ start: '22:00' }] }],
        'unknown_field',
        '0.windows.0.start',
      ],
      ['has windows that are no list', [{ id: 1, name: 'A', windows: {} }], 'invalid_type', '0.windows'],
      [
        'has a minimum of more than a day',
        [{ id: 1, name: 'A', minimum_minutes: 1441 }],
        'out_of_range',
        '0.minimum_minutes',
      ],
      ['pays flat within windows', [{ id: 1, name: 'A', type: '3', windows: [{}] }], 'invalid_type', '0.windows'],
      [
        'pays a minimum on proposal',
        [{ id: 1, name: 'A', type: '4', minimum_minutes: 60 }],
        'invalid_type',
        '0.minimum_minutes',
      ],
    ];
    for (const [says, types, code, place] of wrong) {
      it(`is refused if a wage type ${says}`, async () => {
        const body = { name: 'Hourly', wage_types: types };
        const response = await payroll.client.call('POST', '/wage-profiles', { body });
        assert.deepEqual(errorsOf(response), [[code, `wage_types.${place}`]]);
        const known = await payroll.profile();
        assert.deepEqual(errorsOf(await payroll.put(`/wage-profiles/${known}`, body)), [[code, `wage_types.${place}`]]);
      });
    }

    it('keeps wage types as they were written', async () => {
      const types = [
        {
          id: 7,
          name: 'Weekend',
          type: '2',
          value: 1.2345,
          factor: 0.5,
          windows: [{ week_days: [6, 7] }, { from: '22:00' }],
          minimum_minutes: 15,
        },
      ];
      const id = await payroll.profile(types);
      assert.deepEqual((await payroll.list(`/wage-profiles?id=${id}`))[0].wage_types, types);
    });
  });
});
