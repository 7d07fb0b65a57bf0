import { type Definitions, tenantTable, tenantView } from '../schema.ts';

const no = 'boolean not null default false';
const stamp = `timestamptz(0) not null default date_trunc('second', now())`;
const meta = { created_at: stamp, updated_at: stamp };
const decimal = 'numeric(14,4)';
const currency = `text not null default 'EUR' check (currency ~ '^[A-Z]{3}$')`;

/** What clients are billed. */
export const up = async (db: Definitions): Promise<void> => {
  await tenantTable(db, 'billing_profiles', {
    columns: {
      name: 'text not null',
      external_id: 'text',
      client_id: 'bigint',
      currency,
      is_default: no,
      deleted: no,
      ...meta,
    },
    references: { client_id: 'clients' },
  });
  await tenantTable(db, 'billing_components', {
    columns: {
      billing_profile_id: 'bigint not null',
      name: 'text not null',
      external_id: 'text',
      function_id: 'bigint',
      rate: `${decimal} not null`,
      unit: 'text',
      factor: `${decimal} not null default 1`,
      min_quantity: decimal,
      tax_rate: decimal,
      deleted: no,
    },
    references: { billing_profile_id: 'billing_profiles', function_id: 'functions' },
  });
  await tenantTable(db, 'assignment_billings', {
    columns: {
      assignment_id: 'bigint not null',
      billing_profile_id: 'bigint',
      billing_component_id: 'bigint',
      quantity: decimal,
      unit: 'text',
      rate: decimal,
      factor: `${decimal} not null default 1`,
      billable_amount: decimal,
      currency,
      is_disabled: no,
      is_valid: 'boolean not null default true',
      billed_on: 'timestamptz(0)',
      ...meta,
    },
    references: {
      assignment_id: 'assignments',
      billing_profile_id: 'billing_profiles',
      billing_component_id: 'billing_components',
    },
  });
  await tenantView(db, 'assignment_billings_view', billingsView);
};

const billingsView = `
  select b.*, coalesce(e.client_id, p.client_id) as client_id, e.project_id
  from assignment_billings b
  left join assignments a on a.tenant_id = b.tenant_id and a.id = b.assignment_id
  left join event_functions f on f.tenant_id = a.tenant_id and f.id = a.event_function_id
  left join events e on e.tenant_id = f.tenant_id and e.id = f.event_id
  left join projects p on p.tenant_id = e.tenant_id and p.id = e.project_id`;
