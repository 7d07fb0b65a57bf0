import { resources } from '../../generated/resources.ts';
import { referencesOf } from '../../src/core/resource/references.ts';
import type { Field, Resource } from '../../src/core/resource/resource.ts';
import { exampleBody, type Operation, sampleBody } from '../support/operations.ts';
import type { Scene } from '../support/scene.ts';

type Body = Readonly<Record<string, unknown>>;

/** Bodies of updates and actions that change something, for which neither a new text in a field nor the example does. */
const bodies: Readonly<Record<string, (id: number, scene: Scene) => Body | Promise<Body>>> = {
  assignmentBillings_setBilled: id => ({ assignment_billing_ids: [id], billed_on: '2026-07-01T10:00:00Z' }),
  assignmentBillings_update: () => ({ is_disabled: 1 }),
  assignmentContract_update: () => ({ data: [{ name: 'hourly_rate', value: '15.50' }] }),
  assignmentEmploymentReports_update: () => ({ data: [] }),
  assignmentWages_update: () => ({ factor: 3 }),
  assignments_approve: async (id, scene) => {
    await scene.create('assignment-wages', { assignment_id: id });
    return { approved_by_planner_id: await scene.idOf('planners') };
  },
  assignments_approveMany: async (id, scene) => {
    await scene.create('assignment-wages', { assignment_id: id });
    return { assignment_ids: [id], approved_by_planner_id: await scene.idOf('planners') };
  },
  assignments_createMany: async (_, scene) => ({
    event_function_id: await scene.create('event-functions'),
    employee_ids: [await scene.create('employees'), await scene.create('employees')],
  }),
  assignments_move: async (_, scene) => ({ event_function_id: await scene.create('event-functions') }),
  assignments_pay: async (id, scene) => {
    await scene.approve(id);
    return { paid_on: '2026-07-01T10:00:00Z' };
  },
  assignments_reopen: async (id, scene) => {
    await scene.approve(id);
    await scene.pay(id);
    return { reason: 'The break was not taken.' };
  },
  assignments_setStatus: () => ({ status: 7, remarks: null }),
  assignments_setStatuses: id => ({ assignment_ids: [id], status: 7 }),
  assignments_setTime: () => ({ end: '2026-06-13T02:00:00Z' }),
  assignments_signWorkData: async (id, scene) => ({
    approver: { type: 'planner', id: await scene.idOf('planners') },
    signed_at: '2026-06-13T01:05:00Z',
    method: 'pin',
    items: [{ assignment_id: id, work_times: [{ start: '2026-06-12T15:30:00Z', end: '2026-06-13T01:00:00Z' }] }],
  }),
  assignments_update: () => ({ remarks: 'Comes later', status: 7 }),
  automations_update: () => ({ routine_configuration: '{"url": "https://hooks.example.com/another"}' }),
  availabilityRequestsAvailabilities_update: () => ({ availabilities: [] }),
  availabilityRequestsDefinitions_update: () => ({ rules: [] }),
  changeRequests_create: async (_, scene) => ({
    entity: 'employees',
    entity_id: await scene.create('employees'),
    changes: [{ field: 'mobile', new_value: '+49 30 23125718' }],
  }),
  checkins_update: () => ({ timestamp: '2026-06-12T15:30:00Z', hash: '77' }),
  eventFunctions_update: () => ({ quantity: 7, start: '2026-06-12T17:00:00Z' }),
  events_update: () => ({ name: 'Another', end: '2026-06-13T03:00:00Z' }),
  livestamps_update: () => ({ timestamp: '2026-06-12T15:30:00Z', latitude: 1 }),
  payRuns_makeExport: async (_, scene) => ({ payroll_format_id: await scene.idOf('payroll-formats') }),
  paysheets_update: () => ({ period_end: '2026-06-29' }),
  workTimes_update: () => ({ end: '2026-06-13T00:00:00Z' }),
};

/** Returns a body with which a write of the record changes something. */
export const bodyOf = (operation: Operation, id: number, scene: Scene): unknown => {
  const { operationId, resource, verb, parent, raw, takesBody } = operation;
  if (raw || !takesBody) return sampleBody(operation);
  // The record exists, so that an upsert is an update.
  const special = bodies[operationId.replace(/_upsert$/, '_update')];
  if (special) return special(id, scene);
  if (verb === 'create') return withoutParent(operation, scene);
  if (verb !== 'update' && verb !== 'upsert') return exampleBody(operation);
  const named = parent?.record?.in === 'body' ? { [parent.record.name]: id } : {};
  return { ...named, ...newText(resource) };
};

const withoutParent = async ({ resource, parent }: Operation, scene: Scene): Promise<Body> => {
  const body = await scene.bodyOf(resource);
  if (parent) delete body[parent.field];
  return body;
};

/** Returns a new value for the first plain text of a resource. */
const newText = (name: string): Body => {
  const { fields, externalKey } = (resources as Readonly<Record<string, Resource>>)[name] as Resource;
  const text = fields.find(
    ({ type, access, computed, values, format, pattern, maxLength = 500, ...field }) =>
      type === 'text' &&
      field.name !== externalKey &&
      // Identifiers are unique.
      field.name !== 'identifier' &&
      access === 'write' &&
      !computed &&
      !values &&
      !format &&
      !pattern &&
      maxLength > 20 &&
      referencesOf(field as Field).length === 0,
  );
  if (!text) throw new Error(`${name} has no plain text: its update needs a body of its own here.`);
  return { [text.name]: 'Rehearsed' };
};
