import { mailName, phoneNumber, rowsFrom } from './basics.ts';
import { instant, type Scene } from './scene.ts';
import { busyReasons, cities, companyForms, companyNames, firstNames, lastNames, streets } from './words.ts';

const day = 86_400;

/** Random timestamps: created `low` to `high` days before today, last updated since then. */
const stamps = ({ random, now }: Scene, low: number, high: number) => {
  const created = now - random.integer(low * day, high * day);
  return { created_at: instant(created), updated_at: instant(random.integer(created, now)) };
};

const address = ({ random }: Scene) => {
  const [city, zip] = random.pick(cities);
  return {
    address_first: `${random.pick(streets)} ${random.integer(1, 180)}`,
    zip,
    city,
    country: random.integer(1, 3),
  };
};

/** Makes the clients. */
export const makeClients = (scene: Scene) =>
  rowsFrom(1, scene.counts.clients, id => {
    const name = companyNames[(id - 1) % companyNames.length];
    return {
      id,
      external_id: `C-${String(id).padStart(4, '0')}`,
      company: `${name} ${scene.random.pick(companyForms)}`,
      status: scene.random.chance(0.92) ? 1 : 2,
      ...address(scene),
      ...stamps(scene, 400, 1500),
    };
  });

/** Makes the contacts, assigned to the clients in rotation. */
export const makeContacts = (scene: Scene) =>
  rowsFrom(1, scene.counts.contacts, id => {
    const firstname = scene.random.pick(firstNames);
    const lastname = scene.random.pick(lastNames);
    return {
      id,
      client_id: 1 + ((id - 1) % scene.counts.clients),
      firstname,
      lastname,
      email: `${mailName(firstname)}.${mailName(lastname)}${id}@client.example`,
      mobile: phoneNumber(scene),
      gender: scene.random.integer(1, 3),
      status: scene.random.chance(0.95) ? 1 : 2,
      ...stamps(scene, 320, 1000),
    };
  });

/** Makes the employees. */
export const makeEmployees = (scene: Scene) =>
  rowsFrom(1, scene.counts.employees, id => {
    const { random } = scene;
    const firstname = random.pick(firstNames);
    const lastname = random.pick(lastNames);
    // Most are active, the others are applicants or have left.
    const status = random.weighted([4, 5, 3, 2, 1, 0, 6], [84, 6, 3, 2, 3, 1, 1]);
    return {
      id,
      external_id: `E-${String(id).padStart(4, '0')}`,
      status,
      firstname,
      lastname,
      email: `${mailName(firstname)}.${mailName(lastname)}${id}@staff.example`,
      mobile: phoneNumber(scene),
      birthday: scene.date(-random.integer(18 * 366, 62 * 365)),
      gender: random.integer(1, 3),
      ...address(scene),
      language_id: random.integer(1, 3),
      wage_profile_id: random.integer(2, 4),
      last_active_at: status === 4 ? instant(scene.now - random.integer(0, 20 * day)) : null,
      ...stamps(scene, 320, 1500),
    };
  });

/** Makes absences of one to five whole days around today. */
export const makeBusyDates = (scene: Scene) =>
  rowsFrom(1, scene.counts.busyDates, id => {
    const from = scene.random.integer(-60, 90);
    return {
      id,
      employee_id: scene.random.integer(1, scene.counts.employees),
      reason: scene.random.pick(busyReasons),
      start: scene.midnight(from),
      end: scene.midnight(from + scene.random.integer(1, 5)),
    };
  });
