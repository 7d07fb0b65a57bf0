import { resources } from '../../generated/resources.ts';
import { referencesOf } from '../../src/core/resource/references.ts';
import type { Field, Resource } from '../../src/core/resource/resource.ts';
import { isSelect } from '../../src/engine/references/collection.ts';
import type { Random } from './random.ts';

const all: readonly Resource[] = Object.values(resources);

/** Returns the ids of the records of a resource that there are, as far as is known. */
export type Ids = (resource: string) => readonly number[];

const pad = (number: number): string => String(number).padStart(2, '0');

/** A random time within five days, so that many intervals overlap. */
const instant = (random: Random): string =>
  `2027-03-0${random.integer(1, 5)}T${pad(random.integer(0, 23))}:${random.pick(['00', '30'])}:00Z`;

const sections = ['confirmation', 'livestamps', 'checkins', 'work_time_proposals', 'wage_proposals', 'reporting_forms'];

/** Returns a random value of the right type for a field; undefined: leave it as it is. */
export const randomValue = (field: Field, ids: Ids, random: Random): unknown => {
  const { type, nullable, values, name, minimum = 0, maximum = minimum + 50, maxLength = 40, scale = 2 } = field;
  if (nullable && random.chance(0.15)) return null;
  const [reference] = referencesOf(field);
  if (reference) {
    if (reference.by) return undefined;
    const id = random.pick(ids(reference.resource));
    return type === 'json' ? (id === undefined ? [] : [id]) : (id ?? undefined);
  }
  if (isSelect(field)) return random.chance(0.2) ? random.pick(ids('collection-values')) : undefined;
  if (values) return random.pick(values);
  switch (type) {
    case 'flag':
      return random.integer(0, 1);
    case 'integer':
      return random.integer(minimum, Math.min(maximum, minimum + 50));
    case 'number':
      return (
        random.integer(Math.max(minimum, -90) * 10, Math.min(maximum, minimum + 90) * 10) / 10 ** Math.min(1, scale)
      );
    case 'date':
      return instant(random).slice(0, 10);
    case 'date_time':
      return instant(random);
    case 'json':
      return name === 'configurations'
        ? { [random.pick(sections) as string]: { enabled: random.integer(0, 1) } }
        : undefined;
    default:
      return textOf(field, maxLength, random);
  }
};

const textOf = ({ name, format, pattern, lines }: Field, maxLength: number, random: Random): string | undefined => {
  const number = random.integer(1, 400);
  if (name === 'external_id') return `x-${random.integer(1, 60)}`;
  if (format === 'email') return `person-${number}@example.com`;
  if (format === 'phone') return `+49 30 ${1_000_000 + number}`;
  if (format !== undefined || (pattern !== undefined && !lines)) return undefined;
  return random
    .pick([`Näme ${number}`, `“${number}”, a;b`, `${number}\u{1F600}`, `O'${number} "x"`])
    ?.slice(0, maxLength);
};

const bySingular = new Map(all.map(({ name, singular }) => [singular.replaceAll('-', '_'), name]));

/** The resource that a member of a body names by its id or ids: `employees` for `employee_ids`, `files` for `signature_file_id`. */
const namedBy = (member: string, resource: string): string | undefined => {
  if (member === 'ids') return resource;
  const words = /_ids?$/.test(member) ? member.replace(/_ids?$/, '').split('_') : [];
  return words.map((_, index) => bySingular.get(words.slice(index).join('_'))).find(name => name !== undefined);
};

/** Returns the example with random ids of records in place of its own, and a random status. */
export const randomised = (example: unknown, resource: string, ids: Ids, random: Random, member = ''): unknown => {
  if (Array.isArray(example)) {
    const target = namedBy(member, resource);
    if (!target || typeof example[0] !== 'number') return example.map(item => randomised(item, resource, ids, random));
    return Array.from({ length: random.integer(1, 4) }, () => random.pick(ids(target))).filter(id => id !== undefined);
  }
  if (typeof example === 'object' && example !== null)
    return Object.fromEntries(
      Object.entries(example).map(([name, value]) => [name, randomised(value, resource, ids, random, name)]),
    );
  if (member === 'status') return random.integer(1, 8);
  if (typeof example === 'string' && /^\d{4}-\d\d-\d\dT/.test(example)) return instant(random);
  const target = typeof example === 'number' ? namedBy(member, resource) : undefined;
  return target ? (random.pick(ids(target)) ?? example) : example;
};
