import { parse, refer } from '../refer.ts';
import type { RecordValues } from './document.ts';
import { root, type WitnessPlan } from './plan.ts';

/**
 * Plans the lifecycle of an assignment from creation to pay.
 * It includes the rejection of each step in the wrong order.
 */
export const planWork = async (plan: WitnessPlan): Promise<void> => {
  const send = (purpose: string, target: string, method = 'GET', body?: unknown) =>
    plan.send('work', purpose, { target: `${root}${target}`, method, ...(body === undefined ? {} : { body }) });

  await planStatuses(plan);
  const planner = await plan.first('/planners?limit=1');
  const approval = { approved_by_planner_id: planner };
  const past = await send('worked', '/assignments?status=7&is_approved=0&end=%3C2026-06-10&sort=-end&limit=3');
  const present = await send('today', '/assignments/today?status=6,7&limit=3');
  const all = [past, present].flatMap(({ number, result }) =>
    ((parse(result.body) ?? []) as readonly RecordValues[]).map((row, index) => ({
      row,
      id: refer(number, `body:/${index}/id`),
    })),
  );
  for (const { row, id } of all) {
    const at = `/assignments/${id}`;
    const start = Date.parse(String(row.start));
    const span = { start: String(row.start), end: new Date(start + 6 * 3_600_000).toISOString() };
    await send('pay before approval', `${at}/pay`, 'PUT', { paid_on: '2026-07-01T10:00:00Z' });
    for (const type of [1, 1, 3, 4, 2]) {
      const timestamp = new Date(start + type * 60_000).toISOString();
      await send(`checkin ${type}`, '/checkins', 'POST', { assignment_id: id, type, source: 1, timestamp });
    }
    await send('time', `${at}/time`, 'PUT', span);
    await send('proposal', '/work-time-proposals', 'POST', { assignment_id: id, ...span, source: 1 });
    await planSigning(plan, id, span);
    const work = await send('work time', '/work-times', 'POST', { event_function_employee_id: id, ...span, source: 1 });
    await send('overlapping work time', '/work-times', 'POST', { event_function_employee_id: id, ...span, source: 1 });
    await send('wage proposal', '/wage-proposals', 'POST', { assignment_id: id, wage_type_id: 1, value: 2 });
    await send('open actions', `${at}/open-actions`);
    await send('approve, rehearsed', `${at}/approve?dry_run=true`, 'PUT', approval);
    await send('approve', `${at}/approve`, 'PUT', approval);
    await send('approve again', `${at}/approve`, 'PUT', approval);
    await send('wages', `/assignment-wages?assignment_id=${id}`);
    await send('status of approved', `${at}/status`, 'PUT', { status: 8 });
    await send('time of approved', `${at}/time`, 'PUT', span);
    await send('work time of approved', `/work-times/${refer(work.number, 'body:/id')}`, 'PUT', { end: null });
    await send('pay', `${at}/pay`, 'PUT', { paid_on: '2026-07-01T10:00:00Z' });
    await send('pay again', `${at}/pay`, 'PUT', { paid_on: '2026-07-01T10:00:00Z' });
    await send('delete paid', at, 'DELETE');
    await send('history', `${at}/history`);
    await send('read', at);
  }
};

/**
 * Plans a dry run of every change of status, with and without force.
 * Each is planned for one assignment and for several.
 */
const planStatuses = async (plan: WitnessPlan): Promise<void> => {
  const statuses = [1, 2, 3, 4, 5, 6, 7, 8, 9];
  const operation = plan.operations.find(({ path, method }) => path === '/assignments/{id}/status' && method === 'PUT');
  if (!operation) return;
  const places = await plan.places(operation);
  for (const { id = '' } of places) {
    for (const status of statuses) {
      for (const query of ['dry_run=1', 'dry_run=1&force=1']) {
        const target = `${root}/assignments/${id}/status?${query}`;
        await plan.send(operation.id, `to ${status}`, { method: 'PUT', target, body: { status } });
      }
    }
  }
  for (const status of statuses) {
    for (const atomic of [true, false]) {
      const body = { assignment_ids: places.map(({ id }) => id), status, atomic };
      await plan.send('assignments_setStatuses', `to ${status}`, {
        method: 'PUT',
        target: `${root}/assignments/status?dry_run=1`,
        body,
      });
    }
  }
};

const planSigning = async (plan: WitnessPlan, id: string, span: object): Promise<void> => {
  const approvers = await plan.send('work', 'approvers', {
    target: `${root}/assignments/${id}/signed-work-data-approvers`,
  });
  const type = String((parse(approvers.result.body) as readonly RecordValues[] | undefined)?.[0]?.type);
  const body = {
    approver: { type, id: refer(approvers.number, 'body:/0/id') },
    signed_at: '2026-06-10T07:00:00Z',
    items: [{ assignment_id: id, work_times: [span], wages: [{ wage_type_id: 1, value: 2 }] }],
  };
  for (const method of ['pin', 'signature', 'none']) {
    await plan.send('work', `sign by ${method}`, {
      method: 'POST',
      target: `${root}/assignments/signed-work-data`,
      body: { ...body, method },
    });
  }
  await plan.send('work', 'signed', { target: `${root}/assignments/${id}/signed-work-data` });
};
