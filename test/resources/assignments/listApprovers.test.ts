import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useSite } from '../../domain/work/site.ts';
import type { Client } from '../../support/app.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { restricted } from '../../support/restricted.ts';

forAnyApp((client, app) => {
  const site = useSite(client);
  const approvers = async (id: number) =>
    (await client.call('GET', `/assignments/${id}/signed-work-data-approvers`)).body;

  describe('approvers', () => {
    it("are the project's contact and planner and the leaders of the event's team, the first by default", async () => {
      const event = await site.event({ configurations: { signed_work_data: { methods: ['pin'] } } });
      const leading = await site.staffing.create('functions', { name: 'Leader', project_leader: 1 });
      const leader = await site.staffing.employee({ firstname: 'Ada', lastname: 'Noor', email: 'ada@staff.example' });
      const place = await site.place(event, { function_id: leading });
      const led = await site.staffing.assignment(leader, place, 6);
      await site.staffing.assignment(await site.employee(), place, 1);
      const id = await site.assignment(event);
      const contact = {
        type: 'contact',
        id: site.contact,
        first_name: 'Jana',
        last_name: 'Petersen',
        email: 'jana@hotel.example',
        methods: ['pin'],
        is_default: 1,
      };
      const planner = {
        type: 'planner',
        id: site.planner,
        first_name: 'Mirjam',
        last_name: 'Okafor',
        email: null,
        methods: ['pin'],
        is_default: 0,
      };
      const team = {
        type: 'team_leader',
        id: leader,
        first_name: 'Ada',
        last_name: 'Noor',
        email: 'ada@staff.example',
        methods: ['pin'],
        is_default: 0,
      };
      assert.deepEqual(await approvers(id), [contact, planner, team]);
      assert.deepEqual(await approvers(led), [contact, planner], 'no one signs for their own work');
      for (const people of ['contacts', 'planners', 'employees', '*'] as const) {
        const user: Client = await restricted(app, client, { scopes: ['assignments:read', `${people}:read`] });
        const types = { contacts: 'contact', planners: 'planner', employees: 'team_leader' } as const;
        const shown = [contact, planner, team].map(({ email, ...person }) =>
          people === '*' || types[people] === person.type ? { ...person, email } : person,
        );
        const listed = await user.call('GET', `/assignments/${id}/signed-work-data-approvers`);
        assert.deepEqual(listed.body, shown, people);
        assert.deepEqual((await user.call('GET', `/assignments/${id}/signed-work-data`)).body.approvers, shown, people);
      }
      assert.equal((await client.call('GET', '/assignments/999999999/signed-work-data-approvers')).status, 404);
      const { text } = await client.call('GET', `/assignments/${id}/signed-work-data-approvers.xml`);
      assert.match(text, /<approvers>\s*<item>\s*<type>contact<\/type>/);
    });

    it("are the event's own where it has some, and none who is out of use", async () => {
      const planner = await site.staffing.create('planners', { first_name: 'B', last_name: 'C' });
      const id = await site.assignment(await site.event({ planner_id: planner }));
      const shown = async () => (await approvers(id)).map(({ type, id }: { type: string; id: number }) => [type, id]);
      assert.deepEqual(await shown(), [
        ['contact', site.contact],
        ['planner', planner],
      ]);
      await client.call('PUT', `/planners/${planner}`, { body: { status: 2 } });
      assert.deepEqual(await shown(), [['contact', site.contact]]);
    });

    it('are also where they used to be, which is marked as deprecated', async () => {
      const id = await site.assignment(await site.event({ configurations: { signed_work_data: { enabled: 1 } } }));
      const { body, headers } = await client.call('GET', `/assignments/${id}/signed-work-data`);
      assert.deepEqual(body, {
        assignment_id: id,
        enabled: 1,
        methods: ['signature', 'pin'],
        approvers: await approvers(id),
      });
      assert.match(String(headers.deprecation), /^@\d+$/);
      assert.equal(headers.link, `</api/v1/assignments/${id}/signed-work-data-approvers>; rel="successor-version"`);
    });
  });
});
