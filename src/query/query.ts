import type { ListParameter } from '../../generated/parameters.ts';
import type { Parameter } from '../core/call/parameter.ts';
import { parseSwitch } from '../core/call/switch.ts';
import { ApiError } from '../core/errors.ts';
import { type FieldFilter, parseComparisons } from './filter.ts';
import { parseSort, type SortTerm } from './sort.ts';

/** The parsed query parameters of a listing or read; field names are not checked yet. */
export interface Query {
  /** Null: all fields. */
  readonly fields: readonly string[] | null;
  readonly sort: readonly SortTerm[];
  readonly embed: readonly Embed[];
  readonly filters: readonly FieldFilter[];
  /** Null: the whole listing. */
  readonly limit: number | null;
  /** The cursor returned with the previous page; null: the first page. */
  readonly cursor: string | null;
  /** Whether the response includes the total number of matching records. */
  readonly count: boolean;
}

/** A requested relation; `fields` null: the whole record. */
export interface Embed {
  readonly relation: string;
  readonly fields: readonly string[] | null;
}

const largestLimit = 1000;

const parseLimit = (text: string): number => {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > largestLimit) {
    throw new ApiError('invalid_parameter', { message: `limit must be a whole number from 1 to ${largestLimit}.` });
  }
  return limit;
};

/**
 * Parses `embed`: relations, each with an optional field after the first dot.
 * Entries of one relation are merged; a relation without a field selects all its fields. See docs/decisions.md, "Listings".
 */
export const parseEmbeds = (text: string): Embed[] => {
  const embeds = new Map<string, Embed>();
  for (const name of parseNames('embed', text)) {
    const dot = name.indexOf('.');
    const relation = dot < 0 ? name : name.slice(0, dot);
    const { fields } = embeds.get(relation) ?? { fields: [] };
    embeds.set(relation, { relation, fields: dot < 0 || fields === null ? null : [...fields, name.slice(dot + 1)] });
  }
  return [...embeds.values()];
};

/**
 * Parses a comma-separated list of distinct names (`fields`, `embed`).
 * @throws ApiError invalid_parameter (400) for an empty entry
 */
const parseNames = (parameter: string, text: string): string[] => {
  const names = text.split(',').map(name => name.trim());
  if (names.includes('')) throw new ApiError('invalid_parameter', { message: `${parameter} contains an empty entry.` });
  return [...new Set(names)];
};

/** Parsers of the parameters that are not filters; each may be given once. */
const readers: { readonly [Name in ListParameter]: (text: string) => Query[Name] } = {
  fields: text => parseNames('fields', text),
  sort: parseSort,
  embed: parseEmbeds,
  limit: parseLimit,
  cursor: text => text,
  count: text => parseSwitch('count', text),
};

const nothing: Query = { fields: null, sort: [], embed: [], filters: [], limit: null, cursor: null, count: false };

/**
 * Parses query parameters.
 * Every parameter without a meaning of its own is a filter: `field=…`, or `field[]=…` for a further condition on the same
 * field.
 * @param fields those of the resource: one that has the name of a parameter is filtered with brackets only
 * @throws ApiError invalid_parameter, invalid_sort
 */
export const parseQuery = (
  parameters: readonly Parameter[],
  fields: Pick<ReadonlyMap<string, unknown>, 'has'> = new Map(),
): Query => {
  let query = nothing;
  const seen = new Set<string>();
  const filters = new Map<string, FieldFilter>();
  for (const [name, value] of parameters) {
    if (Object.hasOwn(readers, name)) {
      if (seen.has(name)) throw new ApiError('invalid_parameter', { message: `${name} is given more than once.` });
      seen.add(name);
      query = { ...query, [name]: readers[name as ListParameter](value) };
    } else {
      const field = name.endsWith('[]') ? name.slice(0, -2) : name;
      if (Object.hasOwn(readers, field) && !fields.has(field))
        throw new ApiError('invalid_parameter', { message: `${field} must be given without brackets.` });
      const all = filters.get(field)?.all ?? [];
      filters.set(field, { field, all: [...all, parseComparisons(value)] });
    }
  }
  return filters.size === 0 ? query : { ...query, filters: [...filters.values()] };
};
