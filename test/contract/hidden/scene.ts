import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import type { Category } from '../../../src/core/resource/categories.ts';
import type { Database } from '../../../src/db/open.ts';
import { fillDemoFiles } from '../../../src/demo/files.ts';
import { type Demo, fillDemo } from '../../../src/demo/fill.ts';
import { createApiUser } from '../../../src/tenancy/api-users.ts';
import { generateKeySet, parseKeySet } from '../../../src/tenancy/keys.ts';
import { createTokens } from '../../../src/tenancy/tokens.ts';
import { type App, startApp } from '../../support/app.ts';
import { ownDatabase } from '../../support/database.ts';
import { sensitiveFields } from '../../support/sensitive-fields.ts';
import { changeHidden } from './change.ts';
import { addQuestions } from './questions.ts';
import { anonymous, broadly, type Seen, type Send, type Step, tellingOf, walk } from './walk.ts';

const headersOf = ({ body, headers }: Step, { tenant }: Demo, token: string): Record<string, string> => ({
  Host: `${tenant.slug}.test`,
  Authorization: `Bearer ${token}`,
  // What is compared is what was compressed.
  'Accept-Encoding': 'identity',
  ...(body !== undefined && !(body instanceof Buffer) && { 'Content-Type': 'application/json' }),
  ...headers,
});

/** The demo of an instance of its own, the changes of hidden values, and API users from whom something is hidden. */
export interface Hiding {
  /** Sends requests of an API user from whom nothing is hidden. */
  readonly other: Send;
  /** Requests that show questions of each category, and answers to them. */
  readonly questions: readonly Step[];
  /** Returns the sender of a new API user. */
  userOf(hidden: readonly Category[]): Promise<Send>;
  /** Changes all values of the category by SQL, and returns the columns. */
  change(category: Category): Promise<readonly unknown[]>;
}

const halfHour = 1_800_000;

/**
 * Puts the tenant's clock right after the next full or half hour, at which events begin and end.
 * Until the one after it, nothing differs because of the time.
 */
const settleClock = (database: Database, { tenant }: Demo): Promise<unknown> =>
  database.asOwner(tenant.id, async ({ system }) => {
    // Otherwise only a sandbox has a clock of its own.
    await sql`alter table tenants drop constraint tenants_clock_check`.execute(system);
    const ahead = halfHour - (Date.now() % halfHour);
    await sql`update tenants set clock_ahead = ${ahead} where id = ${tenant.id}`.execute(system);
  });

/** Declares a suite whose tests share one demo. */
export const describeHiding = (declare: (hiding: () => Hiding) => void): void => {
  void describe('what is hidden from an API user does not exist for it', () => {
    let database: Database;
    let app: App;
    let hiding: Hiding;
    before(async () => {
      // Only the embedded database gives every rehearsal the same ids.
      database = await ownDatabase('embedded');
      const keys = parseKeySet(generateKeySet('HS256'), 'HS256');
      app = await startApp(database, { keys });
      const demo = await fillDemo(database, { size: 'small', baseDomain: 'test' });
      await fillDemoFiles(database, app.files, demo);
      await settleClock(database, demo);
      const tokens = createTokens({ database, keys, issuer: 'staffing' });
      let count = 0;
      const userOf = async (hidden: readonly Category[]): Promise<Send> => {
        const name = `without ${hidden.join(', ')} ${++count}`;
        const { id } = await createApiUser(database, demo.tenant, { name, readOnly: false, hidden });
        const { token } = await tokens.issueToken(demo.tenant, id, 3600);
        return step => app.send(step.method, step.target, headersOf(step, demo, token), step.body);
      };
      const other = await userOf([]);
      const questions = await addQuestions(other);
      hiding = { other, questions, userOf, change: category => changeHidden(database, demo.tenant, category) };
    });
    after(async () => {
      await app.close();
      await database.close();
    });
    declare(() => hiding);
  });
};

/** Whether both are the same, without texts being copied to compare them. */
const isSame = (one: Seen, other: Seen): boolean =>
  one.text === other.text && JSON.stringify({ ...one, text: null }) === JSON.stringify({ ...other, text: null });

/** Returns the pairs of what was seen that are not the same, without what is given anew in each request. */
export const differing = (one: readonly Seen[], other: readonly Seen[]): readonly (readonly [Seen, Seen])[] =>
  one.flatMap((seen, index) => {
    const again = other[index] as Seen;
    if (isSame(seen, again)) return [];
    // Of most responses, nothing is: those are not searched for it.
    const pair = [anonymous(seen), anonymous(again)] as const;
    return isSame(...pair) ? [] : [pair];
  });

/** Whether a write of the pair, or one of its records, is one that rules reject: that they do is no hidden value. */
const isVerdict = (pair: readonly Seen[]): boolean =>
  pair.some(
    ({ step, status, text }) =>
      !step.startsWith('GET') && (status === 409 || status === 422 || text.includes('"result": "failed"')),
  );

/** Tests that a user from whom the category is hidden sees the same of every operation, whatever the hidden values are. */
export const itHides = (category: Category, hiding: () => Hiding): void => {
  void it(`${category}: every response is the same, byte for byte, after it is changed by SQL`, async () => {
    const { other, questions, userOf, change } = hiding();
    const user = await userOf([category]);
    const steps = [...questions, ...broadly([category])];
    const seen = await walk(steps, user);
    const told = tellingOf(category);
    const known = await walk(told, other);
    const asked = await walk(questions, other);
    assert.ok((await change(category)).length > 0);
    const all = differing(seen, await walk(steps, user));
    const differences = all.filter(pair => !isVerdict(pair));
    assert.deepEqual(differences.slice(0, 3), [], `${differences.length} of ${steps.length} responses differ`);
    const fields = sensitiveFields[category]?.flatMap(line => line.replace(/^[^:]*: /, '').split(', ')) ?? [];
    for (const { step, status, text } of all.flat()) {
      const named = status < 400 ? [] : fields.filter(name => text.includes(`"field": "${name}`));
      assert.deepEqual(named, [], `${step}: ${text}`);
    }
    // The change is one that others see.
    assert.ok(differing(known, await walk(told, other)).length >= told.length / 2);
    assert.equal(differing(asked, await walk(questions, other)).length, questions.length);
  });
};
