import { type SqlBool, sql } from 'kysely';
import { resources } from '../../../generated/resources.ts';
import type { Tenant } from '../../../src/core/principal.ts';
import type { Category } from '../../../src/core/resource/categories.ts';
import { type MaskedSchema, maskOf } from '../../../src/core/resource/mask.ts';
import type { Field, Resource } from '../../../src/core/resource/resource.ts';
import type { Database } from '../../../src/db/open.ts';
import { slotTableOf } from '../../../src/db/slots.ts';
import { outdate } from '../../support/outdate.ts';
import { sensitiveFields } from '../../support/sensitive-fields.ts';
import { togglePaid } from './paid.ts';

type Json = unknown;

/**
 * Changes by SQL what the category hides: each column that is marked with it, members of JSON values that are, the values of attributes
 * of that category and what is copied of them. Whether there is a value stays, where rules depend on that.
 * @returns the columns that were changed
 */
export const changeHidden = (database: Database, tenant: Tenant, category: Category): Promise<readonly string[]> =>
  database.asOwner(tenant.id, async ({ system }) => {
    const changed: string[] = [];
    const set = async (table: string, column: string, value: ReturnType<typeof sql>): Promise<void> => {
      const result = await sql`update ${sql.id(table)} set ${sql.id(column)} = ${value}
        where tenant_id = ${tenant.id} and (${sql.id(column)}) is distinct from ${value}`.execute(system);
      if (Number(result.numAffectedRows) > 0) changed.push(`${table}.${column}`);
    };
    const rewrite = async (table: string, key: string, column: string, change: (value: Json, row: Row) => Json) => {
      const { rows } = await sql<Row>`select * from ${sql.id(table)} where tenant_id = ${tenant.id}`.execute(system);
      for (const row of rows) {
        const before = parsed(row[column]);
        const after = JSON.stringify(change(before, row));
        if (after === JSON.stringify(before)) continue;
        await sql`update ${sql.id(table)} set ${sql.id(column)} = ${after}::jsonb
          where tenant_id = ${tenant.id} and ${sql.id(key)} = ${row[key]}`.execute(system);
        changed.push(`${table}.${column}`);
      }
    };
    for (const { name: resource, table, key, fields } of Object.values<Resource>(resources)) {
      // Not the marks of the spec, so that one that is missing is found.
      const line = sensitiveFields[category]?.find(text => text.startsWith(`${resource}: `)) ?? '';
      const marked = line.slice(resource.length + 2).split(', ');
      for (const field of fields.filter(({ computed, called }: Field & { called?: true }) => !computed && !called)) {
        // An export makes its file: no other one is hidden because of it.
        if (`${table}.${field.name}` === 'payroll_exports.file_id') continue;
        if (marked.includes(field.name) && field.type === 'json')
          await rewrite(table, key, field.name, value => changedJson(field.name, value));
        else if (marked.includes(field.name)) await set(table, field.name, otherValue(table, field, tenant.id));
        const parts = field.sensitiveParts && !field.computed ? field.sensitiveParts : {};
        await rewriteParts(parts, category, change => rewrite(table, key, field.name, change));
      }
    }
    const asked = await sql<{ id: string }>`select id from attributes
      where tenant_id = ${tenant.id} and category = ${category}`.execute(system);
    const questions = asked.rows.map(({ id }) => Number(id));
    for (const { table, key, fields } of Object.values<Resource>(resources))
      for (const { name } of fields.filter(({ namesAttributes }) => namesAttributes))
        await rewrite(table, key, name, value => changedAnswers(value, questions));
    // Whether questions have answers stays, but not what they are.
    await sql`update attributes set name = name || ' changed', "order" = "order" + 1
      where tenant_id = ${tenant.id} and category = ${category}`.execute(system);
    await rewriteParts(historyParts, category, change => rewrite('assignment_history', 'id', 'data', change));
    if (category === 'pay') {
      changed.push(...(await togglePaid(tenant.id, system)));
      for (const column of ['wage_type.factor', 'wage_type_value.value'])
        await set('assignment_wages', column, sql`${sql.id(column)} + 1`);
    }
    const { rows: attributes } = await sql<{ id: string; entity: string; slot: string }>`
      select d.id, d.entity, d.slot from dynamic_fields d join attributes a on a.tenant_id = d.tenant_id and a.id = d.id
      where d.tenant_id = ${tenant.id} and a.category = ${category}`.execute(system);
    for (const { entity, slot } of attributes) {
      const table = slotTableOf(entity);
      const value = /^date/.test(slot)
        ? sql`${sql.id(slot)} + 7`
        : /^text/.test(slot)
          ? sql`${sql.id(slot)} || 'x'`
          : null;
      if (value) await set(table, slot, value);
    }
    await rewrite('change_requests', 'id', 'changes', (changes, { entity }) =>
      (changes as { field: string; old_value: Json; new_value: Json }[]).map(change =>
        fieldOf(String(entity), change.field)?.sensitive === category
          ? { ...change, old_value: changedMember(change.old_value), new_value: changedMember(change.new_value) }
          : change,
      ),
    );
    await outdate(tenant.id, system);
    return [...new Set(changed)];
  });

type Row = Readonly<Record<string, unknown>>;

const historyParts: MaskedSchema = {
  properties: {
    remarks: { 'x-sensitive': 'personal' },
    pay_amount: { 'x-sensitive': 'pay' },
    paid_on: { 'x-sensitive': 'pay' },
  },
};

/** Changes the answers to the questions, and gives them another one. */
const changedAnswers = (value: Json, questions: readonly number[]): Json => {
  const isHidden = ({ attribute_id }: { attribute_id?: number }) => questions.includes(Number(attribute_id));
  const answers = value as { attribute_id?: number; value: Json }[];
  const own = answers.filter(isHidden);
  return [...own, ...answers.map(answer => (isHidden(answer) ? { ...answer, value: 'changed' } : answer))];
};

/** Another value that fits the same field. */
const changedMember = (member: Json): Json => {
  if (typeof member === 'number') return member + 1;
  return typeof member === 'string' ? member.replace(/^(19|20)\d\d/, '1990').replace(/(?<!\d)$/, '1') : member;
};

const parsed = (value: unknown): Json => (typeof value === 'string' ? JSON.parse(value) : value);

const fieldOf = (resource: string, name: string): Field | undefined =>
  (resources as Readonly<Record<string, Resource>>)[resource]?.fields.find(field => field.name === name);

const changedMembers = (object: Readonly<Record<string, Json>>): Json =>
  Object.fromEntries(Object.entries(object).map(([name, member]) => [name, changedMember(member)]));

/** Changes the hidden members of objects, or of the objects of lists, that have them. */
const rewriteParts = async (
  parts: MaskedSchema,
  category: Category,
  rewrite: (change: (value: Json) => Json) => Promise<void>,
): Promise<void> => {
  const mask = maskOf(parts, [category]);
  const names = [...(mask?.hidden ?? []), ...(mask?.items?.hidden ?? [])];
  if (names.length === 0) return;
  const change = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(change);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, names.includes(name) ? changedMember(member) : member]),
    );
  };
  await rewrite(change);
};

/** Another JSON value of a field; wage types keep what wages are derived by. */
const changedJson = (name: string, value: Json): Json => {
  if (name === 'wage_types')
    return (value as Record<string, unknown>[]).map(type => ({
      ...type,
      name: `${type.name} changed`,
      unit: 'changed',
      ...(typeof type.value === 'number' && { value: type.value + 1 }),
      ...(typeof type.factor === 'number' && { factor: type.factor + 1 }),
    }));
  // How many lines are paid shows, as how many wages there are does.
  if (name === 'lines') return (value as Record<string, Json>[]).map(changedMembers);
  // Whether a correction is open shows by what is allowed.
  if (name === 'correction' && value === null) return null;
  if (Array.isArray(value)) return [...value, { changed: 1 }];
  return { ...(value as object | null), reason: 'changed', source: 'changed' };
};

const otherValue = (table: string, field: Field, tenantId: number) => {
  const column = sql.id(field.name);
  const { references, referencesBy = 'id', collection } = field;
  if (collection !== undefined)
    return sql`(select min(v.id) from collection_values v join collections c on c.tenant_id = v.tenant_id and c.id = v.collection_id
      where v.tenant_id = ${tenantId} and c.identifier = ${collection} and v.id is distinct from ${sql.id(table, field.name)})`;
  if (references !== undefined) {
    const other = (resources as Readonly<Record<string, Resource>>)[references] as Resource;
    // The first by id: no other order is the same in each run, since paths of files are random.
    return sql`(select o.${sql.id(referencesBy)} from ${sql.id(other.table)} o
      where o.tenant_id = ${tenantId} and o.${sql.id(referencesBy)} is distinct from ${sql.id(table, field.name)}
      order by o.id limit 1)`;
  }
  const [one, other] = field.name === 'currency' ? ['CHF', 'EUR'] : (field.values ?? []);
  // Others stay: a constraint may tie them to another column, as the last status to the day of payment.
  if (one !== undefined && other !== undefined)
    return sql`case ${column} when ${sql.lit(one)} then ${sql.lit(other)} when ${sql.lit(other)} then ${sql.lit(one)} else ${column} end`;
  const kept = sql<SqlBool>`${column} is null`;
  switch (field.type) {
    case 'integer':
    case 'number':
      return sql`${column} + 1`;
    case 'date':
    case 'date_time':
      return sql`case when ${kept} then null else ${column} + interval '1 day' end`;
    default:
      return field.format === 'email' ? sql`'changed.' || ${column}` : sql`coalesce(${column}, '') || '1'`;
  }
};
