import { parameters as schemas } from '../../../generated/work-rules.ts';
import { renewStatement } from '../../attributes/registration.ts';
import { type FieldError, fieldError } from '../../core/errors.ts';
import type { Json } from '../../core/json/value.ts';
import type { Transaction } from '../../db/database.ts';
import type { KindName } from '../../domain/rules/rule.ts';
import type { Values } from '../../engine/body.ts';
import type { Rules } from '../../engine/rules.ts';
import { checkJson } from '../../engine/value.ts';

/** The most rules of a tenant that are not off. */
const MOST = 200;

/**
 * Parameters match the schema of the kind, and few rules are judged.
 * They come with the tenant's fields: every change of one renews their version.
 */
export const workRules: Rules = {
  check: async ({ before, after }, transaction) => {
    if (!after) return { errors: [] };
    const tooMany = isOff(before) && !isOff(after) ? await countErrors(transaction) : [];
    return { errors: [...parameterErrors(after), ...exceptErrors(after), ...tooMany] };
  },
  follow: async (_, transaction) => {
    await transaction.send(renewStatement(transaction.tenant.id));
  },
};

/** A new rule that does not say its mode warns. */
const isOff = (rule: Values | null): boolean => rule === null || rule.mode === 'off';

/** The version's row is locked first, so that rules that are added at once are counted. */
const countErrors = async (transaction: Transaction): Promise<readonly FieldError[]> => {
  await transaction.send(renewStatement(transaction.tenant.id));
  const { count } = await transaction.kysely
    .selectFrom('work_rules')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('mode', '<>', 'off')
    .executeTakeFirstOrThrow();
  if (Number(count) < MOST) return [];
  return [fieldError('too_many_items', 'mode', `mode: at most ${MOST} rules are not off.`)];
};

const parameterErrors = ({ kind, parameters }: Values): readonly FieldError[] => {
  const checked = checkJson({ name: 'parameters', schema: schemas[kind as KindName] }, parameters as Json);
  if ('errors' in checked) return checked.errors;
  const given = parameters as Readonly<Record<string, unknown>>;
  if (kind === 'night' && given.minutes === undefined && given.in_a_row === undefined)
    return [fieldError('not_empty', 'parameters.minutes', 'parameters: minutes or in_a_row is required.')];
  if (kind === 'breaks' && (given.steps as readonly unknown[]).length === 0 && given.longest === undefined)
    return [fieldError('not_empty', 'parameters.steps', 'parameters: a step or longest is required.')];
  if (kind === 'rest' && Number(given.same_work_minutes ?? 0) > Number(given.minutes)) {
    const field = 'parameters.same_work_minutes';
    return [fieldError('out_of_range', field, `${field}: at most minutes, ${given.minutes}, is expected.`)];
  }
  return [];
};

/** An exception of all work would leave nothing to be judged. */
const exceptErrors = ({ except }: Values): readonly FieldError[] =>
  except && Object.keys(except).length === 0 ? [fieldError('not_empty', 'except')] : [];
