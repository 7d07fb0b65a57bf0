import { type ApiChange, allows, breaks, compareMembers } from './finding.ts';
import type { Sameness } from './sameness.ts';
import { type Components, type DocumentedSchema, type SchemaPart, type Variant, variantsOf } from './variants.ts';

/**
 * Whether clients send the value or receive it.
 * A sent value breaks clients if less is accepted, a received one if more is returned.
 */
export type Direction = 'request' | 'response';

/** Compares schemas of two documents; each pair of components is compared once per direction. */
export class SchemaComparison {
  readonly #old: Components;
  readonly #now: Components;
  readonly #isSame: Sameness;
  readonly #seen = new Set<string>();

  constructor(old: Components, now: Components, isSame: Sameness) {
    this.#old = old;
    this.#now = now;
    this.#isSame = isSame;
  }

  /** Returns the differences of a value described by `old` in one document and by `now` in the other. */
  compare(old: DocumentedSchema, now: DocumentedSchema, direction: Direction, where: string): readonly ApiChange[] {
    if (this.#isSame(old, now)) return [];
    const [before, after] = [variantsOf(this.#old, old), variantsOf(this.#now, now)];
    const has = (variants: Readonly<Record<string, Variant>>, type: string) =>
      type in variants || (type === 'integer' && 'number' in variants);
    const gone = Object.keys(before).filter(type => !has(after, type));
    const come = Object.keys(after).filter(type => !has(before, type));
    const inRequest = direction === 'request';
    return [
      ...gone.map(type => (inRequest ? breaks : allows)(where, `${type} is no longer a type of the ${direction}`)),
      ...come.map(type => (inRequest ? allows : breaks)(where, `${type} is a new type of the ${direction}`)),
      ...Object.entries(before).flatMap(([type, variant]) => {
        const other = after[type] ?? (type === 'integer' ? after.number : undefined);
        return other ? this.#compareVariants(variant, other, direction, where) : [];
      }),
    ];
  }

  #compareVariants(old: Variant, now: Variant, direction: Direction, where: string): readonly ApiChange[] {
    const fewer = direction === 'request' && now.parts.length < old.parts.length;
    return [
      ...(fewer ? [breaks(where, 'an alternative is no longer accepted')] : []),
      ...old.parts.flatMap((part, index) => {
        const other = now.parts[index];
        if (!other) return [];
        const place = this.#placeOf(part, other, direction, where);
        if (place === null) return [];
        return [
          ...(index === 0 ? compareValues(old, now, direction, place) : []),
          ...this.#compareParts(part.schema, other.schema, direction, place),
        ];
      }),
    ];
  }

  /**
   * Returns where the parts are: the component, if both are one.
   * Null: these components have been compared.
   */
  #placeOf(old: SchemaPart, now: SchemaPart, direction: Direction, where: string): string | null {
    if (old.name === undefined || now.name === undefined) return where;
    const key = `${old.name} ${now.name} ${direction}`;
    if (this.#seen.has(key)) return null;
    this.#seen.add(key);
    return `schema ${old.name}`;
  }

  #compareParts(
    old: DocumentedSchema,
    now: DocumentedSchema,
    direction: Direction,
    where: string,
  ): readonly ApiChange[] {
    return [
      ...(direction === 'request' ? compareBounds(old, now, where) : compareForm(old, now, where)),
      ...this.#compareProperties(old, now, direction, where),
      ...(old.items && now.items ? this.compare(old.items, now.items, direction, `${where}[]`) : []),
    ];
  }

  #compareProperties(
    old: DocumentedSchema,
    now: DocumentedSchema,
    direction: Direction,
    where: string,
  ): readonly ApiChange[] {
    const inRequest = direction === 'request';
    const [required, requires] = [old.required ?? [], now.required ?? []];
    const closed = old.additionalProperties !== false && now.additionalProperties === false;
    const [patterns, others] = [old.patternProperties ?? {}, now.patternProperties ?? {}];
    const members = compareMembers(old.properties ?? {}, now.properties ?? {}, {
      both: (property, other, name) => {
        const place = `${where}.${name}`;
        if (inRequest && other.readOnly && !property.readOnly) return [breaks(place, 'can no longer be written')];
        return this.compare(property, other, direction, place);
      },
      removed: name => [breaks(`${where}.${name}`, `is no longer in the ${direction}`)],
      added: name => (requires.includes(name) ? [] : [allows(`${where}.${name}`, `is new in the ${direction}`)]),
    });
    return [
      ...members,
      ...(inRequest
        ? requires.filter(name => !required.includes(name)).map(name => breaks(`${where}.${name}`, 'is now required'))
        : required
            .filter(name => !requires.includes(name) && now.properties?.[name])
            .map(name => breaks(`${where}.${name}`, 'can now be missing from the response'))),
      ...(inRequest && closed ? [breaks(where, 'other members are no longer accepted')] : []),
      ...Object.keys(patterns)
        .filter(pattern => !(pattern in others))
        .map(pattern => breaks(where, `members that match ${pattern} are no longer in the ${direction}`)),
    ];
  }
}

/** A value that disappears breaks programs that name it; clients must expect new ones in responses. */
const compareValues = (old: Variant, now: Variant, direction: Direction, where: string): readonly ApiChange[] => {
  if (!old.values && now.values && direction === 'request')
    return [breaks(where, `only ${[...now.values].join(', ')} are accepted`)];
  if (!old.values || !now.values) return [];
  const [gone, come] = [old.values.difference(now.values), now.values.difference(old.values)];
  return [
    ...(gone.size > 0 ? [breaks(where, `the values ${[...gone].join(', ')} have been removed`)] : []),
    ...(come.size > 0 ? [allows(where, `the values ${[...come].join(', ')} are new`)] : []),
  ];
};

const lowest = ['minimum', 'minLength', 'minItems'] as const;
const highest = ['maximum', 'maxLength', 'maxItems', 'x-scale'] as const;
const forms = ['pattern', 'format'] as const;

/** Returns where a request accepts less than before, or more. */
const compareBounds = (old: DocumentedSchema, now: DocumentedSchema, where: string): readonly ApiChange[] => {
  const judge = (name: string, before: unknown, after: unknown, isNarrower: boolean) =>
    before === after ? [] : [(isNarrower ? breaks : allows)(where, `${name} ${before ?? 'none'} → ${after ?? 'none'}`)];
  return [
    ...lowest.flatMap(name =>
      judge(
        name,
        old[name],
        now[name],
        (now[name] ?? Number.NEGATIVE_INFINITY) > (old[name] ?? Number.NEGATIVE_INFINITY),
      ),
    ),
    ...highest.flatMap(name =>
      judge(
        name,
        old[name],
        now[name],
        (now[name] ?? Number.POSITIVE_INFINITY) < (old[name] ?? Number.POSITIVE_INFINITY),
      ),
    ),
    ...forms.flatMap(name => judge(name, old[name], now[name], now[name] !== undefined)),
    ...judge('lines', old['x-lines'], now['x-lines'], now['x-lines'] === 'one'),
  ];
};

/** Returns whether a response has another form than before. */
const compareForm = (old: DocumentedSchema, now: DocumentedSchema, where: string): readonly ApiChange[] =>
  old.format === now.format ? [] : [breaks(where, `format ${old.format ?? 'none'} → ${now.format ?? 'none'}`)];
