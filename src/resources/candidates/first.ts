import { sourceField } from '../../core/resource/fields.ts';
import type { Transaction } from '../../db/database.ts';
import { breachesOf, type JudgedCandidates } from '../../domain/rules/candidates.ts';
import type { ReadPlan } from '../../query/plan.ts';
import { readPageIn } from '../../query/read.ts';

/** How many times as many as a page shows are judged for it: some of them break a rule. */
const share = 2;

/** The fields that verdicts decide. */
const decided: ReadonlySet<string> = new Set(['score', 'rested', 'rules']);

/** A page of a listing. */
type PagePlan = ReadPlan & { readonly limit: number };

/** The candidates among whom a page is. */
export interface JudgedFirst {
  readonly ids: readonly number[];
  readonly judged: JudgedCandidates;
}

/**
 * Whether a page can be among few candidates.
 * It is in an order that no verdict decides, or the first one in an order in which a breach can only put a candidate further behind.
 */
export const isAmongFew = (plan: ReadPlan): plan is PagePlan =>
  plan.limit !== null &&
  !plan.conditions.some(({ field }) => decided.has(field.name)) &&
  (!isByScore(plan) ||
    (plan.after === null && plan.order.every(({ field, descending }) => field.name !== 'score' || descending)));

const isByScore = ({ order }: ReadPlan): boolean => order.some(({ field }) => field.name === 'score');

/**
 * Judges those who come first if nobody breaks a rule.
 * The ones of them who break none stay in their order. Everybody else comes after the last of them, and no verdict puts one further to the
 * front. So a page is among them if it is no longer than those without a breach are many, or if no verdict decides the order.
 * @param given what the function of the resource is called with if nobody breaks a rule
 * @returns null if the page can have others
 */
export const judgeFirst = async (
  plan: PagePlan,
  given: string,
  judge: (among: readonly number[]) => Promise<JudgedCandidates>,
  transaction: Transaction,
): Promise<JudgedFirst | null> => {
  // One more shows whether there is a next page.
  const limit = isByScore(plan) ? share * plan.limit : plan.limit + 1;
  const ids = await readIds({ ...plan, given: [...plan.given.slice(0, -1), given], limit }, transaction);
  const judged = await judge(ids);
  const kept = ids.filter(id => breachesOf(judged, id).length === 0);
  return !isByScore(plan) || ids.length < limit || kept.length >= plan.limit ? { ids, judged } : null;
};

const readIds = async (plan: ReadPlan, transaction: Transaction): Promise<readonly number[]> => {
  const { set } = plan;
  const key = sourceField(set, set.resource.key);
  const page = await readPageIn({ ...plan, fields: [key], embeds: [], count: false }, transaction);
  return page.representation.records.map(record => Number(record.text(0)));
};
