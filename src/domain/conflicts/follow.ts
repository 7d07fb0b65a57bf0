import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { workRulesOf, workRulesStatement } from '../../attributes/work-rules.ts';
import { unrestricted } from '../../core/resource/access.ts';
import type { TenantRule } from '../../core/resource/fields.ts';
import { modulesOf } from '../../core/resource/modules.ts';
import { daysLater, type Instant } from '../../core/time.ts';
import type { TenantDb, Transaction } from '../../db/database.ts';
import { oneOf } from '../../db/ids.ts';
import { numberEntries } from '../../db/journal/number.ts';
import { readFollowing } from '../../db/journal/read.ts';
import { type Rulebook, rulebookOf } from '../rules/rulebook.ts';
import type { FoundConflict } from './conflict.ts';
import { findConflicts } from './find.ts';
import { type ConflictProgress, lockProgress, readPresent, storeProgress, type TenantPresent } from './progress.ts';
import { storeConflicts } from './store.ts';
import { addEverybody, addOutdated, addTouched, followedResources, isAnybodyLeft } from './touched.ts';
import { loadWork } from './work-data.ts';

/** Entries of the journal that a transaction follows, and employees whose work it judges. */
const [ENTRIES, PEOPLE] = [500, 50];
/** Conflicts of these with which it ends: it has the only connection of the embedded database. */
const CONFLICTS = 500;
const DAY = 86_400_000;
/** Of this code: another one has all work judged again. */
const VERSION = 1;

/** How far the conflicts of a tenant are after a step. */
export interface ConflictsStep {
  /** The position up to which they are those of all changes. */
  readonly position: number;
  /** Whether there is more to do. */
  readonly more: boolean;
  /** How many conflicts were added, changed or removed. */
  readonly changes: number;
  /** Whether nothing is done: the tenant is disabled, or its clock has been set back since. */
  readonly isOutdated: boolean;
}

/**
 * Takes the conflicts of a tenant a step further.
 * That is to the next entries of its journal, or the next people to be judged.
 * One transaction has the conflicts, their entries and the position. See docs/decisions.md, "Conflicts".
 * @param anew whether everybody's work is judged again
 * @returns null: somebody else takes one
 */
export const followConflicts = async (db: TenantDb, anew = false): Promise<ConflictsStep | null> => {
  await numberEntries(db);
  return db.transaction(async transaction => {
    const before = await lockProgress(transaction);
    if (!before) return null;
    const present = await readPresent(transaction);
    if (present.modules === null) return { position: before.position, more: false, changes: 0, isOutdated: true };
    const { modules } = present;
    const rulebook = rulebookFor(await readRules(transaction), modules, transaction);
    const begun = await begin(before, { present, rulebook, anew }, transaction);
    const people = await nextPeople(transaction);
    const { judged, changes } = await judgePeople(people, begun, { modules, reach: rulebook.reach }, transaction);
    const isDone = (judged === people.length && judged < PEOPLE) || !(await isAnybodyLeft(transaction));
    const position = isDone ? begun.target : begun.position;
    await storeProgress({ ...begun, position }, transaction);
    const more = !isDone || isDue(begun, present) || position < present.position;
    return { position, more, changes, isOutdated: false };
  });
};

const readRules = async (transaction: Transaction): Promise<readonly TenantRule[]> => {
  const [rules] = await transaction.send(workRulesStatement(transaction.tenant.id));
  return workRulesOf(rules);
};

const rulebookFor = (rules: readonly TenantRule[], modules: readonly string[], { tenant }: Transaction): Rulebook =>
  rulebookOf({ rules }, { ...tenant, modules: modulesOf(modules) }, unrestricted);

interface StepBeginning {
  readonly present: TenantPresent;
  readonly rulebook: Rulebook;
  readonly anew: boolean;
}

/** Has those judged who are left, else everybody, or those whom time or the next entries touch. */
const begin = async (
  before: ConflictProgress,
  { present, rulebook, anew }: StepBeginning,
  transaction: Transaction,
): Promise<ConflictProgress> => {
  const { position, epoch, forgotten } = present;
  const basis = basisOf(present, rulebook, transaction);
  const isLost = before.epoch !== epoch || before.target < forgotten;
  if (anew || isLost || before.basis !== basis) {
    await addEverybody(transaction);
    const since = before.epoch === '' ? present.since : before.since;
    return { ...before, since, position: Math.min(before.position, position), target: position, epoch, basis };
  }
  if (await isAnybodyLeft(transaction)) return before;
  if (isDue(before, present)) {
    const [from, to] = [daysBefore(before.since, rulebook.reach), daysBefore(present.since, rulebook.reach)];
    await addOutdated(present.since, from, to, transaction);
    return { ...before, since: present.since };
  }
  const query = { resources: followedResources, changes: ['created', 'updated', 'deleted'], limit: ENTRIES };
  const { entries, position: target } = await readFollowing(before.position, query, transaction);
  await addTouched(entries, transaction);
  return { ...before, target };
};

/** Whether the daily removal of conflicts is to be done. */
const isDue = (progress: ConflictProgress, present: TenantPresent): boolean =>
  Date.parse(present.since) - Date.parse(progress.since) >= DAY;

/** What conflicts depend on beside records. */
const basisOf = ({ modules }: TenantPresent, { reach }: Rulebook, { tenant }: Transaction): string =>
  `${VERSION} ${modules?.includes('rules') ? 'rules ' : ''}${reach} ${tenant.timeZone}`;

/** Someone whose work is to be judged, with the number of conflicts that are stored. */
interface WaitingPerson {
  readonly id: number;
  readonly stored: number;
}

/** Returns the next of those who are to be judged. */
const nextPeople = ({ kysely }: Transaction): Promise<readonly WaitingPerson[]> =>
  kysely
    .selectFrom('conflict_people as p')
    .select('p.id')
    .select(({ selectFrom }) =>
      selectFrom('conflicts as c')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .whereRef('c.employee_id', '=', 'p.id')
        .$asScalar()
        .$notNull()
        .as('stored'),
    )
    .orderBy('p.id')
    .limit(sql.lit(PEOPLE))
    .execute();

/**
 * Makes the conflicts of people those that follow from their work now, until there are too many.
 * A module that is switched meanwhile counts from the next step on, by the basis.
 * @returns how many people were judged, and how many conflicts have changed
 */
const judgePeople = async (
  people: readonly WaitingPerson[],
  { since }: ConflictProgress,
  { modules, reach }: Pick<Rulebook, 'reach'> & { readonly modules: readonly string[] },
  transaction: Transaction,
): Promise<{ readonly judged: number; readonly changes: number }> => {
  if (people.length === 0) return { judged: 0, changes: 0 };
  const ids = people.map(({ id }) => id);
  const data = await loadWork(ids, daysBefore(since, reach), transaction);
  const { rules } = rulebookFor(data.rules, modules, transaction);
  const known = new Map(data.people.map(person => [person.id, person]));
  const found: FoundConflict[] = [];
  let [judged, stored] = [0, 0];
  for (const next of people) {
    if (found.length + stored >= CONFLICTS) break;
    const person = known.get(next.id);
    if (person) found.push(...findConflicts(person, rules, since));
    stored += next.stored;
    judged++;
    // Others have turns between the work of two people.
    await setImmediate();
  }
  const done = ids.slice(0, judged);
  void transaction.defer(transaction.kysely.deleteFrom('conflict_people').where('id', '=', oneOf(done)));
  return { judged, changes: await storeConflicts(done, found, transaction) };
};

/** Returns the instant a number of days earlier, which can be infinite. */
const daysBefore = (instant: Instant, days: number): string => daysLater(instant, -days) ?? '-infinity';
