import { sql } from 'kysely';
import type { components } from '../../../generated/api.ts';
import { resources } from '../../../generated/resources.ts';
import type { Call } from '../../core/call/call.ts';
import { decodeRecords } from '../../core/json/records.ts';
import { flagOf } from '../../core/resource/codec.ts';
import type { Transaction } from '../../db/database.ts';
import { literal } from '../../db/ids.ts';
import { planAmong } from '../../query/listing.ts';
import { readPageIn } from '../../query/read.ts';

type ReportingForm = components['schemas']['ReportingForm'];

/** A form that an employee fills in: a row of the function assignments_reporting_forms. */
interface RequestedForm {
  readonly assignment_id: number;
  readonly form_id: number;
  readonly name: string;
  readonly source: 'event' | 'project';
  readonly source_id: number;
  readonly mandatory: boolean;
  readonly submitted_at: string | null;
}

/** Returns the reporting forms of assignments, once per event or project, with two statements. */
export const reportingFormsOf = async (
  ids: readonly number[],
  call: Call,
  transaction: Transaction,
): Promise<readonly ReportingForm[]> => {
  const rows = await askedFor(ids, transaction);
  const attributes = await attributesOf([...new Set(rows.map(({ form_id }) => form_id))], call, transaction);
  const groups = Map.groupBy(rows, ({ form_id, source, source_id }) => [source, source_id, form_id].join(' '));
  return [...groups.values()].map(group => {
    const [{ form_id, name, source, source_id }] = group as [RequestedForm, ...RequestedForm[]];
    const submissions = group.map(({ submitted_at }) => submitted_at ?? '').sort();
    return {
      form_id,
      name,
      source,
      source_id,
      assignment_ids: group.map(({ assignment_id }) => assignment_id),
      mandatory: flagOf(group.some(({ mandatory }) => mandatory)),
      submitted_at: submissions[0] === '' ? null : (submissions.at(-1) ?? null),
      attributes: attributes.get(form_id) ?? [],
    };
  });
};

const askedFor = (ids: readonly number[], { kysely, tenant }: Transaction): Promise<readonly RequestedForm[]> =>
  kysely
    .selectFrom(
      sql<RequestedForm>`assignments_reporting_forms(${tenant.id}::bigint, ${literal(ids)}::bigint[])`.as('r'),
    )
    .select(['r.assignment_id', 'r.form_id', 'r.name', 'r.source', 'r.source_id', 'r.mandatory', 'r.submitted_at'])
    .orderBy('r.source')
    .orderBy('r.source_id')
    .orderBy(sql`r.place`)
    .orderBy('r.form_id')
    .orderBy('r.assignment_id')
    .execute();

/** Returns the attributes of the forms, as /forms/{id}/attributes lists them. */
const attributesOf = async (
  formIds: readonly number[],
  call: Call,
  transaction: Transaction,
): Promise<ReadonlyMap<number, ReportingForm['attributes']>> => {
  if (formIds.length === 0 || !call.fields.get(resources.attributes).byName.has('entity_id')) return new Map();
  const { representation } = await readPageIn(planAmong(resources.attributes, formIds, call, 'entity_id'), transaction);
  const attributes = decodeRecords(representation) as ReportingForm['attributes'];
  return Map.groupBy(attributes, ({ entity_id }) => Number(entity_id));
};
