import { sql } from 'kysely';
import { type Definitions, tenantTable, tenantView } from '../schema.ts';

const no = 'boolean not null default false';
const yes = 'boolean not null default true';
const instant = 'timestamptz(0)';
const stamp = `timestamptz(0) not null default date_trunc('second', now())`;
const meta = { created_at: stamp, updated_at: stamp };
const decimal = 'numeric(14,4)';
const factor = 'numeric(14,6)';
const list = `jsonb not null default '[]'`;
const digits = `text not null default '1'`;
const proposal = 'integer not null default 1 check (status in (1, 2, 3))';

const times = (table: string) => ({
  start: `${instant} not null`,
  end: `${instant} not null constraint ${table}_end_check check ("end" >= start)`,
  break_start: instant,
  break_end: instant,
});

/** What comes of assignments: contracts, reports, times, positions and pay. */
export const up = async (db: Definitions): Promise<void> => {
  await addPapers(db);
  await addTimes(db);
  await addPay(db);
};

const addPapers = async (db: Definitions): Promise<void> => {
  const references = { assignment_id: 'assignments', planner_id: 'planners' };
  const columns = { assignment_id: 'bigint not null', planner_id: 'bigint', data: list };
  await tenantTable(db, 'assignment_contract', {
    columns: { ...columns, document_template_id: 'bigint', type: digits, file: 'text', created_at: stamp },
    references,
  });
  await tenantTable(db, 'assignment_employment_reports', {
    columns: { ...columns, report_submission_id: 'bigint', type: 'integer not null default 1', ...meta },
    references,
  });
};

const addTimes = async (db: Definitions): Promise<void> => {
  await tenantTable(db, 'work_times', {
    columns: {
      event_function_employee_id: 'bigint not null',
      ...times('work_times'),
      source: 'integer not null default 1 check (source between 1 and 4)',
      is_approved: no,
      approved_on: instant,
      ...meta,
    },
    references: { event_function_employee_id: 'assignments' },
    indexes: [['start']],
  });
  await tenantView(db, 'work_times_view', workTimesView);
  await tenantTable(db, 'work_time_proposals', {
    columns: {
      assignment_id: 'bigint not null',
      ...times('work_time_proposals'),
      remarks: 'text',
      source: 'integer not null default 1 check (source in (1, 2))',
      status: proposal,
      signed_by_type: 'text',
      signed_by_id: 'bigint',
      signed_at: instant,
      signature_file_id: 'bigint',
      decided_at: instant,
      ...meta,
    },
    references: { assignment_id: 'assignments', signature_file_id: 'files' },
    indexes: [['status']],
  });
  await tenantView(db, 'work_time_proposals_view', ofAssignment('work_time_proposals'));
  await tenantTable(db, 'livestamps', {
    columns: {
      assignment_id: 'bigint not null',
      type: 'integer not null check (type between 1 and 4)',
      timestamp: `${instant} not null`,
      latitude: 'numeric(9,6) check (latitude between -90 and 90)',
      longitude: 'numeric(9,6) check (longitude between -180 and 180)',
      created_at: stamp,
    },
    references: { assignment_id: 'assignments' },
  });
  await tenantView(db, 'livestamps_view', ofAssignment('livestamps'));
};

const addPay = async (db: Definitions): Promise<void> => {
  await tenantTable(db, 'assignment_wages', {
    columns: {
      assignment_id: 'bigint not null',
      wage_profile_id: 'bigint',
      type: digits,
      payable_amount: decimal,
      base_value: decimal,
      factor: `${factor} not null default 1`,
      is_disabled: no,
      is_valid: yes,
      'wage_type.name': 'text',
      'wage_type.external_id': 'text',
      'wage_type.currency_format': 'text',
      'wage_type_value.unit': 'text',
      wage_type_id: 'bigint',
      derived_base_value: decimal,
      derived_factor: factor,
    },
    references: { assignment_id: 'assignments', wage_profile_id: 'wage_profiles' },
    unique: [['assignment_id', 'wage_type_id']],
  });
  await tenantTable(db, 'wage_proposals', {
    columns: {
      assignment_id: 'bigint not null',
      wage_type_id: 'bigint not null',
      value: `${decimal} not null`,
      remarks: 'text',
      status: proposal,
      decided_at: instant,
      ...meta,
    },
    references: { assignment_id: 'assignments' },
    indexes: [['status']],
  });
  await tenantView(db, 'wage_proposals_view', wageProposalsView);
  await sql.raw(sumOfLines).execute(db);
  await tenantTable(db, 'paysheets', {
    columns: {
      assignment_id: 'bigint not null',
      wage_profile_id: 'bigint',
      currency: `text not null default 'EUR' check (currency ~ '^[A-Z]{3}$')`,
      period_start: 'date not null',
      period_end: 'date not null constraint paysheets_period_end_check check (period_end >= period_start)',
      status: 'integer not null default 1 check (status in (1, 2, 3))',
      lines: list,
      total: `${decimal} not null generated always as (sum_of_lines(lines)) stored`,
      paid_on: `${instant} constraint paysheets_paid_on_check check ((paid_on is not null) = (status = 3))`,
      ...meta,
    },
    references: { assignment_id: 'assignments', wage_profile_id: 'wage_profiles' },
    indexes: [['period_start']],
  });
  await tenantView(db, 'paysheets_view', ofAssignment('paysheets'));
};

/** Immutable, so that a column can be generated from it: nothing is summed when paysheets are read. */
const sumOfLines = `
  create function sum_of_lines(lines jsonb) returns numeric language sql immutable parallel safe
  return (select coalesce(sum((line ->> 'amount')::numeric), 0) from jsonb_array_elements(lines) line)`;

/** A table's own columns with the employee of its assignment. */
const ofAssignment = (table: string): string => `
  select t.*, a.employee_id from ${table} t
  left join assignments a on a.tenant_id = t.tenant_id and a.id = t.assignment_id`;

const minutes = (end: string, start: string): string => `(extract(epoch from ${end} - ${start}) / 60)::integer`;

const workTimesView = `
  select w.*, a.employee_id, f.event_id,
    ${minutes('w."end"', 'w.start')} - coalesce(${minutes('w.break_end', 'w.break_start')}, 0) as minutes,
    coalesce(${minutes('w.break_end', 'w.break_start')}, 0) as break_minutes
  from work_times w
  left join assignments a on a.tenant_id = w.tenant_id and a.id = w.event_function_employee_id
  left join event_functions f on f.tenant_id = a.tenant_id and f.id = a.event_function_id`;

const wageType = `jsonb_path_query_first(y.wage_types, '$[*] ? (@.id == $id)', jsonb_build_object('id', p.wage_type_id))`;

/** The wage type is one of the terms of pay that hold for the assignment. */
const wageProposalsView = `
  select p.*,
    (${wageType} ->> 'name') collate "und-x-icu" as "wage_type.name",
    round(p.value * round((${wageType} ->> 'value')::numeric * coalesce((${wageType} ->> 'factor')::numeric, 1), 4), 2)::${decimal} as amount,
    (${wageType} ->> 'unit') collate "und-x-icu" as unit
  from wage_proposals p
  left join assignments a on a.tenant_id = p.tenant_id and a.id = p.assignment_id
  left join event_functions f on f.tenant_id = a.tenant_id and f.id = a.event_function_id
  left join functions t on t.tenant_id = f.tenant_id and t.id = f.function_id
  left join employees w on w.tenant_id = a.tenant_id and w.id = a.employee_id
  left join wage_profiles y on y.tenant_id = p.tenant_id
    and y.id = coalesce(a.wage_profile_id, f.wage_profile_id, t.wage_profile_id, w.wage_profile_id)`;
