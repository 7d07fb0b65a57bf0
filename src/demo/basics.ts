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

/** Makes `count` rows, with local ids from `first`. */
export const rowsFrom = <T>(first: number, count: number, make: (id: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => make(first + index));

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
  { id: 1, ...on('function.understaffed', { minutes: 1440 }), ...postTo('understaffed') },
  { id: 2, ...on('event.starts_in', { minutes: 60 }), ...run('function.lock', {}) },
  { id: 3, ...on('assignment.status_changed', { to: [7] }), ...postTo('confirmed') },
  { id: 4, ...on('checkin.created', { type: [1] }), ...run('assignment.set_status', { status: 7 }) },
  { id: 5, ...on('record.changed', { resource: ['clients'], include: 'record' }), ...postTo('clients') },
];

const on = (type: string, configuration: object) => ({
  trigger_type: type,
  trigger_configuration: JSON.stringify(configuration),
});

const run = (type: string, configuration: object, target: string | null = null) => ({
  routine_type: type,
  routine_configuration: JSON.stringify(configuration),
  target,
});

const postTo = (name: string) => run('webhook.post', { url: `https://localhost/hooks/${name}` }, 'localhost');
