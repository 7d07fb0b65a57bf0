/** The values that a field of a kind is compared with. */
type FilterValue<K extends string> = K extends 'integer' | 'number'
  ? number
  : K extends 'flag'
    ? 0 | 1 | boolean
    : K extends 'date_time'
      ? string | Date
      : K extends 'json'
        ? never
        : string;

/** Whether texts can be searched for in a field of a kind. */
type Searched<K extends string> = K extends 'text' | 'date_time'
  ? 'contains' | 'startsWith' | 'endsWith' | 'like'
  : K extends 'json'
    ? 'contains'
    : never;

/** The names of the conditions of a kind. */
type ConditionName<K extends string> =
  | 'not'
  | (K extends 'flag' | 'json' ? never : 'lt' | 'lte' | 'gt' | 'gte')
  | Searched<K>;

/** Conditions of one field that all hold; `{ not: null }` are the records that have a value. */
export type Conditions<K extends string> = {
  readonly [C in ConditionName<K>]?: C extends 'not'
    ? FilterValue<K> | null
    : C extends Searched<K>
      ? string
      : FilterValue<K>;
};

/** A value (null: the field has none), conditions that all hold, or a list of alternatives. */
export type Filter<K extends string> =
  | FilterValue<K>
  | null
  | Conditions<K>
  | readonly (FilterValue<K> | null | Conditions<K>)[];

type PlainValue = string | number | boolean | Date | null;
type FilterInput =
  | PlainValue
  | Readonly<Record<string, PlainValue>>
  | readonly (PlainValue | Readonly<Record<string, PlainValue>>)[];

/** Returns a value as the grammar of filters has it: special characters are escaped. */
const literal = (value: PlainValue): string => {
  if (value === null) return 'null';
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'boolean') return value ? '1' : '0';
  const text = String(value);
  const escaped = text.replaceAll(/[\\,*]/g, '\\$&').replace(/^[-~<>=]/, '\\$&');
  return text === 'null' ? '\\null' : escaped;
};

const terms: Readonly<Record<string, (value: PlainValue) => string>> = {
  not: value => `-${literal(value)}`,
  lt: value => `<${literal(value)}`,
  lte: value => `<=${literal(value)}`,
  gt: value => `>${literal(value)}`,
  gte: value => `>=${literal(value)}`,
  contains: value => `*${literal(value)}*`,
  startsWith: value => `*${literal(value)}`,
  endsWith: value => `${literal(value)}*`,
  like: value => `~${literal(value)}`,
};

const isConditions = (value: unknown): value is Readonly<Record<string, PlainValue>> =>
  typeof value === 'object' && value !== null && !(value instanceof Date) && !Array.isArray(value);

const termsOf = (value: PlainValue | Readonly<Record<string, PlainValue>>): string[] =>
  isConditions(value)
    ? Object.entries(value).flatMap(([name, operand]) => (operand === undefined ? [] : [termOf(name, operand)]))
    : [literal(value)];

const termOf = (name: string, operand: PlainValue): string => {
  const term = terms[name];
  if (!term) throw new TypeError(`Unknown condition ${name}: one of ${Object.keys(terms).join(', ')} is expected.`);
  return term(operand);
};

/**
 * Adds the filters to the parameters of a query.
 * Conditions of one field all hold: each is a parameter `field[]`.
 * @throws TypeError if a list is empty, or contains several conditions in one object, which the grammar cannot express
 */
export const addFilters = (parameters: URLSearchParams, filters: Readonly<Record<string, unknown>>): void => {
  for (const [name, given] of Object.entries(filters)) {
    if (given === undefined) continue;
    const filter = given as FilterInput;
    if (Array.isArray(filter)) {
      if (filter.length === 0) throw new TypeError(`The list of alternatives of ${name} is empty.`);
      const alternatives = filter.map(alternative => {
        const [term, ...more] = termsOf(alternative);
        if (term === undefined || more.length > 0)
          throw new TypeError(`The alternatives of ${name} can have one condition each.`);
        return term;
      });
      parameters.append(name, alternatives.join(','));
    } else {
      const conditions = termsOf(filter as Exclude<FilterInput, readonly unknown[]>);
      const key = conditions.length > 1 ? `${name}[]` : name;
      for (const condition of conditions) parameters.append(key, condition);
    }
  }
};
