import { type Definitions, tenantTable, tenantView } from '../schema.ts';

const list = `jsonb not null default '[]'`;

/** When employees are asked to say when they can work, and what they say. */
export const up = async (db: Definitions): Promise<void> => {
  await tenantTable(db, 'availability_requests', {
    columns: {
      employee_id: 'bigint not null',
      name: 'text not null',
      from: 'date',
      to: 'date constraint availability_requests_to_check check ("to" >= "from")',
      blocked_at: 'date',
      completed_at: 'date',
      completed_by_enforcement: 'boolean not null default false',
    },
    references: { employee_id: 'employees' },
  });
  const pair = {
    key: 'availability_request_id',
    references: { availability_request_id: 'availability_requests' },
  };
  await tenantTable(db, 'availability_requests_definitions', {
    ...pair,
    columns: {
      availability_request_id: 'bigint not null',
      rules: list,
      time_slots: list,
      requested_availabilities: list,
    },
  });
  await tenantTable(db, 'availability_requests_availabilities', {
    ...pair,
    columns: { availability_request_id: 'bigint not null', availabilities: list },
  });
  await tenantView(db, 'availability_requests_availabilities_view', availabilitiesView);
};

const availabilitiesView = `
  select v.*, r.employee_id from availability_requests_availabilities v
  left join availability_requests r on r.tenant_id = v.tenant_id and r.id = v.availability_request_id`;
