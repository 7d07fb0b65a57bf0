import { setTimeout as pause } from 'node:timers/promises';
import type { SimulatedCaller } from './caller.ts';
import { wageTypes } from './paying.ts';
import type { Simulated, SimulatedRow } from './simulated.ts';
import type { SimulatedUser } from './users.ts';

/** What a scene is played with. Nothing else happens meanwhile, and no request is lost. */
export interface SceneStage extends Pick<Simulated, 'list'> {
  /** Sees and may do everything. */
  readonly checker: SimulatedCaller;
  /** Creates a record by the checker. */
  post(path: string, body: object): Promise<SimulatedRow>;
  userOf(name: string): SimulatedUser;
  by(user: SimulatedUser): SimulatedCaller;
}

type StagedScene = (stage: SceneStage) => Promise<void>;

const hours = (day: string, from: string, to: string) => [
  `2027-03-${day}T${from}:00:00Z`,
  `2027-03-${day}T${to}:00:00Z`,
];

/** Books a person for a new function. @returns the ids of the assignment and the function */
const book = async (
  { list, post }: SceneStage,
  employee_id: number,
  [start, end]: readonly string[],
): Promise<readonly [assignment: number, place: number]> => {
  const [example] = await list('/event-functions?limit=1&fields=event_id,function_id');
  const place = await post('/event-functions', { ...example, quantity: 3, start, end });
  const body = { employee_id, event_function_id: place.id, status: 6 };
  return [(await post('/assignments?force=true', body)).id, place.id];
};

const newEmployee = async ({ post }: SceneStage): Promise<number> =>
  (await post('/employees', { firstname: 'Kim', lastname: 'Scene', status: 4 })).id;

/** Books a person for functions that overlap or follow each other too soon: these are conflicts. */
const collide: StagedScene = async stage => {
  const [employee] = await stage.list('/employees?limit=1&fields=id&status=4&forgotten_at=null');
  for (const times of [hours('02', '08', '16'), hours('02', '12', '20'), hours('03', '04', '09')])
    await book(stage, employee?.id, times);
};

/** Milliseconds within which automations and conflicts follow what has happened. */
const quiet = 15_000;

/** API users wait for changes while they are restricted. Only then something changes. */
const waitRestricted: StagedScene = async stage => {
  const restrictions = [
    { user: stage.userOf('colleague'), lacks: { scopes: ['clients:read'] }, usual: { scopes: [] } },
    { user: stage.userOf('assistant'), lacks: { active: false }, usual: { active: true } },
  ];
  // What the scenes before have caused ends.
  await pause(quiet);
  const waiting = restrictions.map(({ user }) =>
    stage.by(user).ask({ method: 'GET', path: '/changes?after=now&wait=20&include=record' }),
  );
  await pause(500);
  for (const { user, lacks } of restrictions) await user.change(lacks);
  await pause(2_000);
  await newEmployee(stage);
  await Promise.all(waiting);
  for (const { user, usual } of restrictions) await user.change(usual);
};

/** An automation is about to act for an API user who may not do that any more. */
const actRestricted: StagedScene = async stage => {
  const robot = stage.userOf('robot');
  const { scopes } = robot.view;
  const body = {
    ...{ trigger_type: 'assignment.status_changed', trigger_configuration: '{}' },
    ...{ routine_type: 'assignment.set_status', routine_configuration: JSON.stringify({ status: 7 }) },
  };
  await stage.by(robot).ask({ method: 'POST', path: '/automations', body });
  await book(stage, await newEmployee(stage), hours('05', '08', '12'));
  await robot.change({ scopes: scopes.filter(scope => !scope.endsWith(':write')) });
  await pause(5_000);
  await robot.change({ scopes });
};

/** Work has an expense in one currency, is then paid in another, and is to be approved. */
const payTwice: StagedScene = async stage => {
  const [start, end] = hours('05', '14', '22');
  const [id, place] = await book(stage, await newEmployee(stage), [start as string, end as string]);
  const put = (path: string, body: object) => stage.checker.ask({ method: 'PUT', path, body });
  const payBy = async (currency: string): Promise<void> => {
    const profile = await stage.post('/wage-profiles', {
      name: `Paid in ${currency}`,
      currency,
      wage_types: wageTypes,
    });
    await put(`/event-functions/${place}`, { wage_profile_id: profile.id });
  };
  await payBy('EUR');
  const proposal = await stage.post('/wage-proposals', { assignment_id: id, wage_type_id: 5, value: 3 });
  await put(`/wage-proposals/${proposal.id}`, { status: 2 });
  await payBy('CHF');
  await stage.post('/work-times', { event_function_employee_id: id, start, end });
  const [planner] = await stage.list('/planners?limit=1&fields=id');
  await put(`/assignments/${id}/approve?force=true`, { approved_by_planner_id: planner?.id });
};

/** What happens before all call at the same time. */
export const scenes: readonly StagedScene[] = [collide, waitRestricted, actRestricted, payTwice];
