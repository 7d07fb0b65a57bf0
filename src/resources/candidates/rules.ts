import type { Access } from '../../core/resource/access.ts';
import { flagOf } from '../../core/resource/codec.ts';
import { instantAt, localDateOf, secondsOf } from '../../core/time.ts';
import type { Transaction } from '../../db/database.ts';
import { prepare } from '../../db/prepared.ts';
import { breachesOf, type JudgedCandidates, judgeCandidates, unopposed } from '../../domain/rules/candidates.ts';
import type { Breach } from '../../domain/rules/judge.ts';
import type { WorkRule } from '../../domain/rules/rule.ts';
import { isLong, rulebookOf } from '../../domain/rules/rulebook.ts';
import { presentedBreach, shownBreach } from '../../domain/rules/shown.ts';
import type { Interval } from '../../domain/time/interval.ts';
import { offsetsAround } from '../../domain/time/local-days.ts';
import type { Rules } from '../../engine/rules.ts';
import type { SendSupplement, Supplement } from '../../query/plan.ts';
import { isAmongFew, judgeFirst } from './first.ts';

/**
 * Judges candidates by the working-time rules as a write would be.
 * For the first page of the best, it judges those who come first if nobody breaks a rule, and all only if too many of these do.
 * For a page in an order that no verdict decides, it judges that page.
 * See docs/decisions.md, "Working-time rules".
 */
export const candidates: Rules = {
  supply: async (call, transaction, plan) => {
    const { tenant, apiUser } = call.principal;
    const eventFunctionId = call.parent?.id ?? 0;
    const given = async (times: Interval | null, said: object) => {
      const found = times ?? (await readTimes(eventFunctionId, transaction));
      return JSON.stringify({ ...said, ...(found && clocksAt(found, tenant.timeZone)) });
    };
    if (!tenant.modules.has('rules')) return { given: await given(null, {}), supplement: null };
    const { rules } = rulebookOf(call.fields, tenant, apiUser);
    const judge = (by: readonly WorkRule[], among: readonly number[] | null, send: SendSupplement) =>
      judgeCandidates({ eventFunctionId, among, tenantId: tenant.id }, by, async statement => {
        const [result] = await send([statement]);
        return result;
      });
    const near = rules.filter(rule => !isLong(rule));
    const long = rules.filter(isLong);
    const judgeNear = (among: readonly number[] | null) =>
      judge(near, among, statements => transaction.send(...statements));
    const first =
      near.length > 0 && isAmongFew(plan)
        ? await judgeFirst(plan, await given(null, verdictsOf(unopposed)), judgeNear, transaction)
        : null;
    const short = first?.judged ?? (await judgeNear(null));
    const supplement: Supplement = {
      field: 'rules',
      reads: long.length > 0,
      values: async (keys, send) => {
        const among = keys.map(Number);
        const far = await judge(long, among, send);
        return among.map(id => JSON.stringify(shownRules(breachesOf(short, id), breachesOf(far, id), apiUser)));
      },
    };
    const said = { ...verdictsOf(short), ...(first && !plan.count && { among: first.ids }) };
    return { given: await given(short.times, said), supplement };
  },
};

/** Returns the effective times of an event function; null: there is none. */
const readTimes = async (id: number, transaction: Transaction): Promise<Interval | null> => {
  const [[found]] = await transaction.run(timesOf({ id }));
  return found ? { from: secondsOf(String(found.start)), to: secondsOf(String(found.end)) } : null;
};

const timesOf = prepare((db, { id }: { id: number }) =>
  db.selectFrom('event_functions_view').select(['start', 'end']).where('id', '=', id),
);

/** Returns the local days on which a time slot may begin that overlaps the work, and its offsets. */
const clocksAt = ({ from, to }: Interval, timeZone: string) => ({
  from: localDateOf(instantAt(from), timeZone, -1),
  to: localDateOf(instantAt(to), timeZone),
  begins: offsetsAround(from, timeZone),
  ends: offsetsAround(to, timeZone),
});

/** What `candidates` is called with: verdicts that most have, and whom the other ones concern. */
const verdictsOf = (judged: JudgedCandidates) => ({
  ...verdictOf('passed', judged, () => true),
  ...verdictOf('rested', judged, ({ rule }) => rule.kind === 'rest'),
});

const verdictOf = (name: string, { known, others }: JudgedCandidates, counts: (breach: Breach) => boolean) => {
  const most = !others.some(counts);
  const differing = [...known].filter(([, breaches]) => breaches.some(counts) === most).map(([id]) => id);
  return { [name]: most, [`${name}_but`]: differing };
};

/**
 * Returns what rules say of a candidate.
 * @param far breaches of rules that look further, which no score counts
 */
const shownRules = (near: readonly Breach[], far: readonly Breach[], apiUser: Access) => {
  const all = [...near, ...far];
  const refused = all.filter(({ severity }) => severity === 'error');
  const warned = all.filter(({ severity }) => severity === 'warning');
  return {
    passed: flagOf(near.length === 0),
    refused: refused.length,
    warned: warned.length,
    breaches: [...refused, ...warned].map(breach => presentedBreach(shownBreach(breach), apiUser)),
  };
};
