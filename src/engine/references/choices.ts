import { distance } from 'fastest-levenshtein';
import { type SqlBool, sql } from 'kysely';
import type { Json } from '../../core/call/reply.ts';
import { type FieldError, fieldError } from '../../core/errors.ts';
import type { Field } from '../../core/resource/resource.ts';
import type { Result, Row, Transaction } from '../../db/database.ts';
import { arrayLiteral } from '../../db/values.ts';
import { bind, compiler, Slot, template } from '../../query/statement.ts';
import type { Values } from '../body.ts';
import { type Collection, collectionOf } from './collection.ts';
import { type Lookup, placeOf } from './lookup.ts';

/**
 * Looks up the values that a select chooses, each given by its id or its identifier.
 * The value to store has their ids. Values that the record has already may be deleted ones. See docs/decisions.md, "Fields in
 * requests".
 */
export const lookUpChoices = (field: Field, values: Values, before: Values, transaction: Transaction): Lookup[] => {
  const source = collectionOf(field);
  const given = values[field.name] ?? null;
  const kept = new Set([before[field.name] ?? null].flat());
  const wanted = [given].flat().filter(item => item !== null && !kept.has(item)) as (number | string)[];
  if (!source || wanted.length === 0) return [];
  const tenantId = String(transaction.tenant.id);
  const ids = wanted.filter(item => typeof item === 'number');
  const identifiers = wanted.filter(item => typeof item === 'string');
  const bound = [tenantId, source.value, arrayLiteral(ids), arrayLiteral(identifiers)];
  const judge: Lookup['judge'] = async rows => {
    const found = chosenOf(rows);
    const chosen = new Map(
      wanted.map(item => [
        item,
        found.find(({ id, identifier }) => (typeof item === 'number' ? id : identifier) === item),
      ]),
    );
    const unknown = [...chosen].flatMap(([item, value]) => (value ? [] : [item]));
    const gone = [...chosen].filter(([, value]) => value?.inactive && !kept.has(value.id));
    const resolve = (item: Json): Json => chosen.get(item as number | string)?.id ?? item;
    return {
      errors: [
        ...(unknown.length > 0 ? await unknownErrors(field.name, given, unknown, source, transaction) : []),
        ...gone.map(([item]) => {
          const place = placeOf(field.name, given, item);
          return fieldError('reference_inactive', place, `${place}: the value ${item} is deleted.`);
        }),
      ],
      value: [field.name, Array.isArray(given) ? [...new Set(given.map(resolve))] : resolve(given)],
    };
  };
  return [{ statement: bind(choiceTemplate(source), bound), judge }];
};

const chosenOf = (rows: readonly Row[]) =>
  rows.map(([id, identifier = null, inactive]) => ({ id: Number(id), identifier, inactive: inactive === 't' }));

/** Maximum number of values that the nearest one is sought among. */
const compared = 2000;

/** Names the collection, and for each value the one of the collection that is nearest to it. */
const unknownErrors = async (
  name: string,
  given: Json,
  unknown: readonly (number | string)[],
  source: Collection,
  transaction: Transaction,
): Promise<FieldError[]> => {
  const [result] = await transaction.send(bind(allTemplate(source), [String(transaction.tenant.id), source.value]));
  const rows = (result as Result).rows;
  const label = rows[0]?.[0] ?? source.value;
  const choices = rows.flatMap(([, id, identifier, name]) => (id ? [{ id, identifier, name }] : []));
  return unknown.map(item => {
    const place = placeOf(name, given, item);
    const text = String(item).toLowerCase().slice(0, 64);
    const near = choices
      .map(choice => ({ choice, far: Math.min(...namesOf(choice).map(other => distance(text, other.toLowerCase()))) }))
      .reduce<{ choice: (typeof choices)[number]; far: number } | null>(
        (best, next) => (best && best.far <= next.far ? best : next),
        null,
      );
    const hint = near ? ` The nearest value is ${namesOf(near.choice).join(', ')}.` : '';
    const message = `${place}: the collection ${label} has no value ${item} (by id, a number, or by identifier).${hint}`;
    return fieldError('not_in_collection', place, message);
  });
};

/** Returns the texts that a value can be meant by. */
const namesOf = (choice: Readonly<Record<'id' | 'identifier' | 'name', string | null | undefined>>): string[] =>
  [choice.id, choice.identifier, choice.name].flatMap(text => text ?? []);

const from = ({ kind }: Collection) =>
  kind === 'attribute'
    ? compiler
        .selectFrom('attributes as a')
        .innerJoin('collections as c', 'c.id', 'a.collection_id')
        .where('a.id', '=', sql`${new Slot(1)}::bigint`)
    : compiler.selectFrom('collections as c').where('c.identifier', '=', sql`${new Slot(1)}::text`);

/** Reads the chosen values of the collection, deleted ones last; both are locked against deletion. */
const choiceTemplate = (source: Collection) =>
  template(
    `choices|${source.kind}`,
    () =>
      from(source)
        .innerJoin('collection_values as v', 'v.collection_id', 'c.id')
        .select([sql`v.id`.as('id'), sql`v.identifier`.as('identifier'), sql`v.deleted or c.deleted`.as('inactive')])
        .where(sql<SqlBool>`(v.id = any(${new Slot(2)}::bigint[]) or v.identifier = any(${new Slot(3)}::text[]))`)
        .orderBy(sql`3, 1`)
        .forKeyShare(['v', 'c'])
        .compile(),
    { ways: { 1: 'shared', 2: 'union', 3: 'union' }, gives: 'all' },
  );

/** Reads the name of the collection and the values that can be chosen from it. */
const allTemplate = (source: Collection) =>
  template(`all-choices|${source.kind}`, () =>
    from(source)
      .leftJoin('collection_values as v', join =>
        join.onRef('v.collection_id', '=', 'c.id').on(sql<SqlBool>`not v.deleted`),
      )
      .select([sql`c.name`.as('label'), sql`v.id`.as('id'), sql`v.identifier`.as('identifier'), sql`v.name`.as('name')])
      .orderBy(sql`2`)
      .limit(sql.lit(compared))
      .compile(),
  );
