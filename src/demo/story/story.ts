import type { OwnerTransaction } from '../../db/owner.ts';
import { type DemoRow, type DemoTables, writeRows } from '../write.ts';
import { staffingStory } from './work.ts';

/** An address in the country with the provisioned id 1. */
const address = (address_first: string, zip: string, city: string) => ({ address_first, zip, city, country: 1 });

const employee = (id: number, firstname: string, lastname: string) => ({
  id,
  status: 4,
  firstname,
  lastname,
  email: `${firstname}.${lastname}@staff.example`.toLowerCase(),
  mobile: `+49 30 23125${id + 600}`,
  birthday: '1998-06-21',
  gender: 32,
  ...address('Birkenallee 3', '10435', 'Berlin'),
  language_id: 1,
  wage_profile_id: 3,
  qualifications: [61, 64],
  created_at: '2024-11-15T08:30:00Z',
});

const planner = (id: number, first_name: string, last_name: string) => ({
  id,
  first_name,
  last_name,
  email: `${first_name}.${last_name}@planning.example`.toLowerCase(),
  phone: `+49 30 2312564${id}`,
  status: 1,
  language_id: 1,
});

const location = (id: number, name: string, line_1: string) => ({
  id,
  name,
  line_1,
  zip: '18055',
  city: 'Rostock',
  country: 1,
});

const project = (id: number, name: string) => ({ id, name, client_id: 7, contact_id: 31, planner_id: 5 });

const contact = (id: number, firstname: string, lastname: string) => ({
  id,
  client_id: 7,
  firstname,
  lastname,
  mobile: `+49 30 2312550${id - 30}`,
  status: 1,
});

const availabilityRequest = (id: number) => ({
  id,
  employee_id: 112,
  name: 'July 2026',
  from: '2026-07-01',
  to: '2026-07-31',
});

const slots = [{ id: 1, name: 'Late shift', category: 'weekend', week_days: [6, 7], from: '14:00', to: '22:00' }];

const changeRequest = {
  id: 61,
  entity: 'employees',
  entity_id: 112,
  status: 1,
  requested_by: 112,
  requested_at: '2026-02-10T17:40:26Z',
  decided_at: null,
  changes: [
    {
      attribute_id: 34,
      field: 'mobile',
      name: 'Mobile phone',
      type: 'phone',
      old_value: employee(112, '', '').mobile,
      new_value: '+49 30 23125718',
    },
  ],
};

/**
 * The records that the examples of the API's document are about, with the ids that the examples name.
 * Where an example creates a record, that record does not exist; where it deletes one, nothing refers to it.
 * @param qualifications the id of the collection of qualifications
 */
const storyOf = (qualifications: number): DemoTables => ({
  languages: [{ id: 4, code: 'pl', name: 'Polski', is_default: false, active: true }],
  wage_profiles: [{ id: 5, name: 'Trade fairs', currency: 'EUR', is_default: false, wage_types: [] }],
  planners: [planner(5, 'Mirjam', 'Okafor'), planner(9, 'Jonas', 'Adler')],
  clients: [{ id: 7, company: 'Nordlicht Hotels GmbH', status: 1, ...address('Hafenstraße 12', '20457', 'Hamburg') }],
  contacts: [
    { ...contact(31, 'Jana', 'Petersen'), email: 'jana.petersen@nordlicht.example', gender: 32 },
    { ...contact(32, 'Olaf', 'Stern'), email: 'olaf.stern@nordlicht.example', gender: 33 },
  ],
  collection_values: [
    { id: 61, collection_id: qualifications, identifier: 'bar', name: 'Bar', order: 1 },
    { id: 64, collection_id: qualifications, identifier: 'first-aid', name: 'First aid', order: 2 },
  ],
  employees: [
    employee(111, 'Paul', 'Ehlers'),
    employee(112, 'Tomasz', 'Lindqvist'),
    employee(113, 'Nora', 'Behn'),
    employee(114, 'Ines', 'Kaya'),
    employee(115, 'Lotte', 'Frank'),
    employee(116, 'Said', 'Amara'),
    employee(117, 'Merle', 'Vogt'),
    employee(118, 'Ben', 'Falk'),
    employee(119, 'Rosa', 'Thiel'),
    employee(120, 'Hanna', 'Brandt'),
  ],
  functions: [{ id: 11, name: 'Spülküche', description: null, project_leader: false, wage_profile_id: null }],
  locations: [location(14, 'Kongresshalle am See', 'Seeufer 8'), location(15, 'Speicher am Kai', 'Am Strande 2')],
  forms: [{ id: 5, identifier: 'guest-survey', name: 'Guest survey', entity: 'assignments' }],
  projects: [project(19, 'Summer party 2026'), project(20, 'Winter party 2026')],
  ...staffingStory,
  change_requests: [changeRequest],
  availability_requests: [17, 18, 19, 20].map(availabilityRequest),
  availability_requests_definitions: [17, 18].map(availability_request_id => ({
    availability_request_id,
    rules: [],
    time_slots: slots,
    requested_availabilities: [{ date: '2026-07-04', time_slot_id: 1 }],
  })),
  availability_requests_availabilities: [
    {
      availability_request_id: 18,
      availabilities: [{ date: '2026-07-04', time_slot_id: 1, available: 1 }],
    },
  ],
});

/** The ids of the story's records, by table. */
export const storyIds: ReadonlyMap<string, ReadonlySet<number>> = new Map(
  Object.entries(storyOf(0)).map(([table, rows]) => [
    table,
    new Set(rows.flatMap(({ id }) => (typeof id === 'number' ? [id] : []))),
  ]),
);

/**
 * The external ids of records that the examples read or delete by them.
 * The examples that create records give others.
 */
const externalIds: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  clients: { 7: 'C-NORDLICHT' },
  contacts: { 32: 'CT-0032' },
  employees: { 113: 'E-BEHN' },
  planners: { 9: 'PL-0009' },
  projects: { 20: 'P-WINTER' },
  events: { 205: 'EV-0205' },
  event_functions: { 612: 'EF-0612' },
  assignments: { 4713: 'A-4713' },
  locations: { 15: 'LOC-0015' },
  functions: { 11: 'F-0011' },
  wage_profiles: { 5: 'WP-5' },
  billing_profiles: { 7: 'BP-0007' },
};

/**
 * Returns a row with the external id that it has in the examples.
 * Unchanged in a table without external ids.
 */
const named = (table: string, row: DemoRow): DemoRow => {
  const names = externalIds[table];
  return names ? { ...row, external_id: names[Number(row.id)] ?? null } : row;
};

/**
 * Writes the records that the document's examples are about.
 * @returns the number of written rows by table
 */
export const addStory = async (transaction: OwnerTransaction): Promise<Readonly<Record<string, number>>> => {
  const qualifications = await transaction.kysely
    .selectFrom('collections')
    .select('id')
    .where('identifier', '=', 'qualifications')
    .executeTakeFirstOrThrow();
  const story = Object.entries(storyOf(qualifications.id));
  for (const [table, rows] of story) {
    const own = rows.map(row => named(table, row));
    await writeRows(transaction, table, own);
  }
  return Object.fromEntries(story.map(([table, rows]) => [table, rows.length]));
};
