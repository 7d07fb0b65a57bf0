import { defaultLimits } from '../../../src/core/call/limits.ts';
import type { Parameter } from '../../../src/core/call/parameter.ts';
import type { FieldSet } from '../../../src/core/resource/fields.ts';
import type { Field } from '../../../src/core/resource/resource.ts';

/** One question that a listing can be asked, with values that may differ from run to run. */
export interface ListingShape {
  /** As in a URL: `/assignments?status=<value>`. */
  readonly label: string;
  /** The query parameters of a run, numbered from 1. */
  parameters(run: number): readonly Parameter[];
  /** Whether the second page is asked for. */
  readonly paged?: true;
}

/** Values that records have in a resource's fields, as written in filters, by the field's name. */
export type Samples = ReadonlyMap<string, readonly string[]>;

/** Every filter, sort and embed of a listing, each on its own, with a page of 50. */
export const shapesOf = (set: FieldSet, samples: Samples): readonly ListingShape[] => {
  const { name } = set.resource;
  const page = (
    label: string,
    ask: (run: number) => readonly Parameter[],
    more: Partial<ListingShape> = {},
  ): ListingShape => ({
    label: `/${name}${label}`,
    parameters: run => [...ask(run), ['limit', '50']],
    ...more,
  });
  const sorts = set.fields
    .filter(({ type }) => type !== 'json')
    .flatMap(field => [field.name, `-${field.name}`])
    .flatMap(sort => [
      page(`?sort=${sort}`, () => [['sort', sort]]),
      page(`?sort=${sort}&cursor=`, () => [['sort', sort]], { paged: true }),
    ]);
  const filters = set.fields.flatMap(field =>
    filtersOf(field, samples.get(field.name) ?? []).map(([kind, value]) =>
      page(`?${field.name}=${kind}`, run => [[field.name, value(run)]]),
    ),
  );
  return [
    page('', () => []),
    page('?cursor=', () => [], { paged: true }),
    page('?count=true', () => [['count', 'true']]),
    ...embedsOf(set).map(embed => page(`?embed=${embed}`, () => [['embed', embed]])),
    ...sorts,
    ...filters,
  ];
};

/** Each relation with all fields and with one, and as many of them together as a request may have. */
const embedsOf = ({ resource: { relations } }: FieldSet): readonly string[] => {
  const names = relations.map(({ short }) => short);
  const together = names.slice(0, defaultLimits.embeds).join();
  const single = relations.map(({ short, to }) => `${short}.${to}`);
  return [...new Set([...names, ...single, together])].filter(embed => embed !== '');
};

type FilterKind = readonly [kind: string, value: (run: number) => string];

/** The kinds of filter that a field accepts: with a value that records have, and with others. */
const filtersOf = (field: Field, known: readonly string[]): readonly FilterKind[] => {
  const nulls: FilterKind[] = [
    ['null', () => 'null'],
    ['-null', () => '-null'],
  ];
  const some = known[known.length >> 1];
  if (field.type === 'json') {
    const member: FilterKind = ['*none*', run => (field.items === 'text' ? `*zzz${run}*` : `*${900_000_000 + run}*`)];
    return field.items ? [...nulls, member] : nulls;
  }
  const none = absent[field.type];
  const common: FilterKind[] = [...nulls, ['none', none], ['-none', run => `-${none(run)}`]];
  if (some !== undefined) common.push(...present(field, some, known));
  return field.type === 'text' ? [...common, ['~none', run => `~zzz${run}`], ['*none', run => `*zzz${run}`]] : common;
};

const present = (field: Field, some: string, known: readonly string[]): FilterKind[] => {
  const value = literally(some);
  const kinds: FilterKind[] = [
    ['some', () => value],
    ['-some', () => `-${value}`],
    ['some,some', () => known.slice(0, 3).map(literally).join(',')],
  ];
  if (field.type !== 'flag') kinds.push(['>some', () => `>${value}`], ['<some', () => `<${value}`]);
  if (field.type === 'text')
    kinds.push(['~some', () => `~${literally(some.slice(1, 4))}`], ['*so', () => `*${literally(some.slice(0, 2))}`]);
  return kinds;
};

const absent: Readonly<Record<Exclude<Field['type'], 'json'>, (run: number) => string>> = {
  integer: run => String(900_000_000 + run),
  number: run => String(900_000_000 + run),
  flag: () => '0',
  text: run => `zzz${run}`,
  date: run => `1950-01-${String(run + 10)}`,
  date_time: run => `1950-01-${String(run + 10)}T00:00:00Z`,
};

/** A value without a meaning of its own in the grammar of filters. */
const literally = (value: string): string => value.replace(/[\\,*~<>-]/g, '\\$&');
