import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resources } from '../../../generated/resources.ts';
import type { Field, Resource } from '../../../src/core/resource/resource.ts';

const all: readonly Resource[] = Object.values(resources);

/** The sensitive fields by category: an independent copy for comparison. */
const expected: Readonly<Record<string, readonly string[]>> = {
  pay: [
    'assignment-billings: billable_amount, factor, rate',
    'assignment-wages: base_value, factor, payable_amount',
    'assignments: paid_on, pay_amount',
    'billing-components: factor',
    'pay-run-lines: amount, factor, quantity, rate',
    'pay-runs: paid_on, total, totals',
    'paysheets: lines, paid_on, total',
    'wage-profiles: wage_types',
    'wage-proposals: amount, unit, wage_type.name',
  ],
  contact: [
    'contacts: email, mobile',
    'employees: address_first, address_second, city, email, mobile, zip',
    'planners: email, phone',
  ],
  personal: [
    'assignment-employment-reports: data',
    'assignments: remarks',
    'contacts: gender',
    'employees: birthday, country, gender, language_id',
    'wage-proposals: remarks',
    'work-time-proposals: remarks',
  ],
  health: ['busy-dates: busy_entry, reason'],
  identity: [
    'assignment-contract: data, file',
    'checkins: hash',
    'livestamps: latitude, longitude',
    'work-time-proposals: signature_file_id',
  ],
};

describe('sensitive fields', () => {
  for (const [category, wanted] of Object.entries(expected)) {
    it(`of the category ${category} are marked, and no others`, () => {
      const marked = all.flatMap(({ name, fields }) => {
        const names = fields.filter(({ sensitive }) => sensitive === category).map(field => field.name);
        return names.length > 0 ? [`${name}: ${names.toSorted().join(', ')}`] : [];
      });
      assert.deepEqual(marked, wanted);
    });
  }

  it('are never required', () => {
    const required = all.flatMap(({ name, fields }) =>
      fields.filter(field => field.sensitive && field.required).map(field => `${name}.${field.name}`),
    );
    assert.deepEqual(required, []);
  });

  it('that hold people’s data are marked under whatever resource they are shown', () => {
    const personal = /^(email|phone|mobile|birthday|gender|zip|address_first|address_second|latitude|longitude|hash)$/;
    const isOpen = ({ name, sensitive }: Field) => personal.test(name.split('.').at(-1) ?? '') && !sensitive;
    const open = all.flatMap(({ name, fields }) => fields.filter(isOpen).map(field => `${name}.${field.name}`));
    // Places and companies are no people.
    assert.deepEqual(open, [
      'clients.address_first',
      'clients.address_second',
      'clients.zip',
      'locations.zip',
      'locations.latitude',
      'locations.longitude',
    ]);
  });
});
