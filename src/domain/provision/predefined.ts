/** The initial data of every tenant: forms, predefined attributes, and the choices of selects. */

export type AttributeType = 'text' | 'date' | 'email' | 'phone' | 'select';

export interface PredefinedAttribute {
  /** The attribute's id within its tenant; ids of user-defined attributes start at 1001. */
  readonly id: number;
  /** The name of the field that it is bound to. */
  readonly field: string;
  /** The label. */
  readonly name: string;
  readonly type: AttributeType;
  readonly required?: true;
  /** Identifier of the collection that a select chooses from. */
  readonly collection?: string;
}

export interface PredefinedForm {
  /** The name of the resource whose records the form describes. */
  readonly entity: 'clients' | 'contacts' | 'employees';
  readonly name: string;
  readonly attributes: readonly PredefinedAttribute[];
}

export const forms: readonly PredefinedForm[] = [
  {
    entity: 'clients',
    name: 'Clients',
    attributes: [
      { id: 11, field: 'company', name: 'Company', type: 'text', required: true },
      { id: 12, field: 'address_first', name: 'Address', type: 'text' },
      { id: 13, field: 'address_second', name: 'Address (second line)', type: 'text' },
      { id: 14, field: 'zip', name: 'Postal code', type: 'text' },
      { id: 15, field: 'city', name: 'City', type: 'text' },
      { id: 16, field: 'country', name: 'Country', type: 'select', collection: 'country' },
    ],
  },
  {
    entity: 'contacts',
    name: 'Contacts',
    attributes: [
      { id: 21, field: 'firstname', name: 'First name', type: 'text' },
      { id: 22, field: 'lastname', name: 'Last name', type: 'text', required: true },
      { id: 23, field: 'email', name: 'E-mail', type: 'email' },
      { id: 24, field: 'mobile', name: 'Mobile phone', type: 'phone' },
      { id: 25, field: 'gender', name: 'Gender', type: 'select', collection: 'gender' },
    ],
  },
  {
    entity: 'employees',
    name: 'Employees',
    attributes: [
      { id: 31, field: 'firstname', name: 'First name', type: 'text', required: true },
      { id: 32, field: 'lastname', name: 'Last name', type: 'text', required: true },
      { id: 33, field: 'email', name: 'E-mail', type: 'email' },
      { id: 34, field: 'mobile', name: 'Mobile phone', type: 'phone' },
      { id: 35, field: 'birthday', name: 'Date of birth', type: 'date' },
      { id: 36, field: 'gender', name: 'Gender', type: 'select', collection: 'gender' },
      { id: 37, field: 'address_first', name: 'Address', type: 'text' },
      { id: 38, field: 'address_second', name: 'Address (second line)', type: 'text' },
      { id: 39, field: 'zip', name: 'Postal code', type: 'text' },
      { id: 40, field: 'city', name: 'City', type: 'text' },
      { id: 41, field: 'country', name: 'Country', type: 'select', collection: 'country' },
    ],
  },
];

export interface PredefinedCollection {
  readonly identifier: string;
  readonly name: string;
  /** The tenant makes its values. */
  readonly editable?: true;
  /** Identifier and name of each value, in display order. */
  readonly values: readonly (readonly [identifier: string, name: string])[];
}

const countryCodes =
  'DE AT CH BE BG CZ DK EE ES FI FR GB GR HR HU IE IT LT LU LV NL NO PL PT RO SE SI SK TR UA US'.split(' ');
const countryNames = new Intl.DisplayNames('en', { type: 'region' });

export const collections: readonly PredefinedCollection[] = [
  {
    identifier: 'country',
    name: 'Country',
    values: countryCodes.map(code => [code, countryNames.of(code) ?? code] as const),
  },
  {
    identifier: 'gender',
    name: 'Gender',
    values: [
      ['female', 'Female'],
      ['male', 'Male'],
      ['diverse', 'Diverse'],
    ],
  },
  { identifier: 'qualifications', name: 'Qualifications', editable: true, values: [] },
];

export const language = { code: 'de', name: 'Deutsch', is_default: true, active: true } as const;

export const wageProfile = {
  name: 'Standard (hours are paid 0: set the rate)',
  external_id: 'WP-1',
  currency: 'EUR',
  is_default: true,
  wage_types: JSON.stringify([{ id: 1, name: 'hours', type: '1', unit: 'hour', value: 0 }]),
} as const;

/** What a tenant with working-time rules begins with. */
export const restRule = {
  name: 'Eleven hours of rest',
  external_id: 'WR-1',
  kind: 'rest',
  mode: 'warn',
  parameters: JSON.stringify({ minutes: 660 }),
  source: 'Directive 2003/88/EC, Article 3',
} as const;
