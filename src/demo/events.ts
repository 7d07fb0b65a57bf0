import { rowsFrom } from './basics.ts';
import { instant, type Scene } from './scene.ts';
import { eventKinds, functionNames, projectKinds, shiftNames } from './words.ts';

const day = 86_400;
/** Maximum distance of events from today in days. */
const reach = 90;

/** The settings of projects with full reporting; the form is the one of the demo's reports. */
const strict = {
  configurations: {
    checkins: { enabled: 1 },
    work_time_proposals: { enabled: 1, mandatory: 1, from_checkins: 1, round_minutes: 15 },
    reporting_forms: { enabled: 1 },
    signed_work_data: { enabled: 1, methods: ['signature'] },
  },
  reporting_form_ids: [1],
};
const lenient = { configurations: null, reporting_form_ids: null };

/** Whether the project's check-ins are required, and propose the work times. */
export const isStrict = (projectId: number): boolean => projectId % 4 === 0;

/** Makes the projects. */
export const makeProjects = (scene: Scene) =>
  rowsFrom(1, scene.counts.projects, id => {
    const client = scene.random.integer(1, scene.counts.clients);
    const perClient = Math.floor(scene.counts.contacts / scene.counts.clients);
    return {
      id,
      name: `${projectKinds[(id - 1) % projectKinds.length]} ${scene.date(0).slice(0, 4)}/${id}`,
      client_id: client,
      // `makeContacts` assigns contacts to clients in rotation.
      contact_id: client + scene.counts.clients * scene.random.integer(0, perClient - 1),
      planner_id: scene.random.integer(1, scene.counts.planners),
      external_id: `P-${String(id).padStart(4, '0')}`,
      ...(isStrict(id) ? strict : lenient),
      created_at: instant(scene.now - scene.random.integer(240, 300) * day),
    };
  });

type Project = ReturnType<typeof makeProjects>[number];

/**
 * Chooses draft, active, archived or aborted.
 * Events of more than two weeks ago are mostly archived, others mostly active.
 */
const eventStatus = ({ random }: Scene, offset: number): number => {
  if (offset < -14) return random.weighted([3, 5], [9, 1]);
  if (offset < 0) return random.weighted([2, 5], [9, 1]);
  return random.weighted([2, 1, 5], [17, 2, 1]);
};

/** Makes events, spread evenly over the days around today; `start` and `end` are seconds since 1970. */
export const makeEvents = (scene: Scene, projects: readonly Project[]) =>
  rowsFrom(1, scene.counts.events, id => {
    const { random, counts } = scene;
    const project = random.pick(projects);
    const offset = Math.floor(((id - 1) * (2 * reach + 1)) / counts.events) - reach;
    const from = random.integer(12, 36) * 30;
    const start = scene.at(offset, from);
    return {
      id,
      offset,
      project_id: project.id,
      client_id: project.client_id,
      contact_id: project.contact_id,
      planner_id: project.planner_id,
      location_id: random.integer(1, counts.locations),
      name: `${random.pick(eventKinds)} ${project.name}`,
      status: eventStatus(scene, offset),
      auto_assign_enabled: id % 5 === 0,
      auto_assign_mode: id % 10 === 0 ? 'provisional' : 'assigned',
      start,
      end: start + random.integer(8, 20) * 1800,
      overbooking_percent: random.weighted([0, 10, 20], [8, 1, 1]),
      created_at: start - random.integer(100, 140) * day,
    };
  });

/** An event of the demo data. */
export type DemoEvent = ReturnType<typeof makeEvents>[number];

/** Makes event functions, assigned to the events in rotation; some shifts start later than their event. */
export const makeEventFunctions = (scene: Scene, events: readonly DemoEvent[]) =>
  rowsFrom(1, scene.counts.eventFunctions, id => {
    const { random } = scene;
    const event = events[(id - 1) % events.length];
    if (!event) throw new RangeError('There are no events');
    const round = Math.floor((id - 1) / events.length);
    // Some events have a team leader as their first function; the other functions of an event are all different.
    const functionId =
      round === 0 && random.chance(0.5) ? 1 : 2 + ((event.id + round * 2) % (functionNames.length - 1));
    const later = random.chance(0.3) ? random.integer(1, 4) * 1800 : 0;
    const leader = functionId === 1;
    const start = event.start + later;
    const pause = event.end - start >= 5 * 3600 ? start + 2 * 3600 : null;
    return {
      id,
      event,
      event_id: event.id,
      function_id: functionId,
      shift_name: random.pick(shiftNames),
      quantity: leader ? 1 : random.integer(2, 5),
      start,
      end: event.end,
      break_start: pause,
      break_end: pause === null ? null : pause + 1800,
      is_locked: event.offset < 0,
      wage_profile_id: random.chance(0.1) ? random.integer(2, 4) : null,
      // Some functions are at another location than the event.
      location_id: id % 12 === 0 ? 1 + (id % scene.counts.locations) : null,
      created_at: event.created_at + random.integer(0, day),
    };
  });

/** An event function of the demo data. */
export type EventFunction = ReturnType<typeof makeEventFunctions>[number];
