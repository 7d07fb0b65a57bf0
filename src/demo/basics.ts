import type { Scene } from './scene.ts';
import { cities, firstNames, functionNames, functionProfile, lastNames, streets, venues } from './words.ts';

/** Converts a name to the form used in e-mail addresses. */
export const mailName = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll('ä', 'ae')
    .replaceAll('ö', 'oe')
    .replaceAll('ü', 'ue')
    .replaceAll('ß', 'ss')
    .normalize('NFD')
    .replace(/[^a-z0-9]/g, '');

/** A random phone number from the range reserved for fiction in Germany. */
export const phoneNumber = ({ random }: Scene): string => `+49302312${random.integer(5000, 5999)}`;

const range = (length: number): readonly number[] => Array.from({ length }, (_, index) => index);

/** Makes `count` rows, with local ids from `first`. */
export const rowsFrom = <T>(first: number, count: number, make: (id: number) => T): readonly T[] =>
  range(count).map(index => make(first + index));

/** Makes languages in addition to the tenant's own, which has the local id 1. */
export const makeLanguages = () => [
  { id: 2, code: 'en', name: 'English', is_default: false, active: true },
  { id: 3, code: 'fr', name: 'Français', is_default: false, active: true },
];

/** Makes one function for each entry of `functionNames`. */
export const makeFunctions = () =>
  functionNames.map(([name, leader], index) => ({
    id: index + 1,
    name,
    description: leader ? 'Leads the team on site' : null,
    project_leader: leader,
    wage_profile_id: functionProfile(index + 1),
  }));

/** Makes the planners. */
export const makePlanners = (scene: Scene) =>
  rowsFrom(1, scene.counts.planners, id => {
    const first = scene.random.pick(firstNames);
    const last = scene.random.pick(lastNames);
    return {
      id,
      first_name: first,
      last_name: last,
      email: `${mailName(first)}.${mailName(last)}${id}@planning.example`,
      phone: phoneNumber(scene),
      language_id: scene.random.integer(1, 2),
    };
  });

/** Makes the locations. */
export const makeLocations = (scene: Scene) =>
  rowsFrom(1, scene.counts.locations, id => {
    const { random } = scene;
    const [city, zip, latitude, longitude] = random.pick(cities);
    return {
      id,
      name: `${random.pick(venues)} ${city} ${id}`,
      code: `LOC-${String(id).padStart(3, '0')}`,
      line_1: `${random.pick(streets)} ${random.integer(1, 120)}`,
      zip,
      city,
      country: 1,
      latitude: Number((latitude + random.next() * 0.08 - 0.04).toFixed(6)),
      longitude: Number((longitude + random.next() * 0.08 - 0.04).toFixed(6)),
      time_zone: 'Europe/Berlin',
      deleted: false,
    };
  });

/**
 * Makes one automation for each type of trigger.
 * Their webhooks call nobody: the inbox of a sandbox accepts them.
 */
export const makeAutomations = () => [
  {
    id: 1,
    trigger_type: 'function.understaffed',
    trigger_configuration: '{"minutes":1440}',
    ...postTo('understaffed'),
  },
  {
    id: 2,
    trigger_type: 'event.starts_in',
    trigger_configuration: '{"minutes":60}',
    routine_type: 'function.lock',
    routine_configuration: '{}',
    target: null,
  },
  {
    id: 3,
    trigger_type: 'assignment.status_changed',
    trigger_configuration: '{"to":[7]}',
    ...postTo('confirmed'),
  },
  {
    id: 4,
    trigger_type: 'checkin.created',
    trigger_configuration: '{"type":[1]}',
    routine_type: 'assignment.set_status',
    routine_configuration: '{"status":7}',
    target: null,
  },
  {
    id: 5,
    trigger_type: 'record.changed',
    trigger_configuration: '{"resource":["clients"],"include":"record"}',
    ...postTo('clients'),
  },
];

const postTo = (name: string) => ({
  routine_type: 'webhook.post',
  routine_configuration: `{"url":"https://localhost/hooks/${name}"}`,
  target: 'localhost',
});
