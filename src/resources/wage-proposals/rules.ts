import { type FieldError, fieldError } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { newId } from '../../db/ids.ts';
import { baseValueOf, type WageType } from '../../domain/pay/derive.ts';
import { amountOf, isWithin } from '../../domain/pay/money.ts';
import { isInCurrency, labelsOf, type Profile, profilesOf } from '../../domain/pay/profile.ts';
import { ACCEPTED, decides, decisionErrors, recordDecision, requireNotAccepted } from '../../domain/work/decide.ts';
import { freeze, lockAround, lockedAssignment, type WorkedAssignment } from '../../domain/work/lock.ts';
import { bookedErrors } from '../../domain/work/plausible.ts';
import type { Values } from '../../engine/body.ts';
import type { Rules } from '../../engine/rules.ts';

/** The maximum factor of a wage. */
const MOST = 99_999_999;

/**
 * A proposal has a wage type that applies to its assignment, and is decided once. Accepting it creates a wage, and keeps
 * the terms that it was accepted on.
 */
export const wageProposals: Rules<WorkedAssignment> = {
  lock: lockAround('wage_proposals'),
  check: async ({ before, after }, transaction) => {
    const assignment = await lockedAssignment((after ?? before)?.assignment_id ?? null, transaction);
    const frozen = freeze(assignment, before && after && before.status !== after.status ? 'status' : 'assignment_id');
    if (frozen.length === 0 && !after) requireNotAccepted(before, 'wage');
    if (frozen.length > 0 || !after) return { errors: frozen };
    const errors = [...decisionErrors(before, after, ['value'])];
    const isAsked = !before || before.value !== after.value;
    if (isAsked || (after.status === ACCEPTED && decides(before, after)))
      errors.push(...bookedErrors(assignment, 'assignment_id'));
    if (!before || decides(before, after)) errors.push(...(await termErrors(after, transaction)));
    return { errors, found: assignment };
  },
  follow: async ({ before, after }, transaction, call, assignment) => {
    if (!after || !assignment || !decides(before, after)) return;
    await recordDecision('wage_proposals', after, { assignment }, call.principal.apiUser.id, transaction);
    if (after.status === ACCEPTED) await addWage(after, transaction);
  },
};

const termsOf = async (
  proposal: Values,
  transaction: Transaction,
): Promise<{ profile?: Profile | undefined; wageType?: WageType | undefined }> => {
  const assignmentId = Number(proposal.assignment_id);
  const profile = (await profilesOf([assignmentId], transaction)).get(assignmentId);
  return { profile, wageType: profile?.wageTypes.find(({ id }) => id === proposal.wage_type_id) };
};

const termErrors = async (proposal: Values, transaction: Transaction): Promise<readonly FieldError[]> => {
  const { profile, wageType } = await termsOf(proposal, transaction);
  if (!profile) return [fieldError('wage_profile_missing', 'wage_type_id')];
  if (!wageType)
    return [
      fieldError(
        'reference_not_found',
        'wage_type_id',
        `The wage profile ${profile.id} has no wage type ${proposal.wage_type_id}.`,
      ),
    ];
  if (!isInCurrency(profile, wageType)) return [fieldError('currency_mismatch', 'wage_type_id')];
  const value = Number(proposal.value);
  const payable = amountOf(profile.currency, value, baseValueOf(wageType));
  return isWithin(value, -MOST, MOST) && isWithin(payable, -9_999_999_999, 9_999_999_999)
    ? []
    : [fieldError('out_of_range', 'value')];
};

const addWage = async (proposal: Values, transaction: Transaction): Promise<void> => {
  const { profile, wageType } = await termsOf(proposal, transaction);
  if (!profile || !wageType) throw new Error('A wage proposal was accepted without a wage profile or wage type.');
  const base_value = baseValueOf(wageType);
  const factor = Number(proposal.value);
  const labels = labelsOf(profile, wageType);
  const payable_amount = amountOf(profile.currency, factor, base_value);
  await transaction.kysely
    .updateTable('wage_proposals')
    .set({
      accepted_currency: profile.currency,
      accepted_name: labels['wage_type.name'],
      accepted_unit: labels['wage_type_value.unit'],
      accepted_amount: payable_amount,
    })
    .where('id', '=', Number(proposal.id))
    .execute();
  await transaction.kysely
    .insertInto('assignment_wages')
    .values({
      id: await newId(transaction, 'assignment_wages'),
      assignment_id: Number(proposal.assignment_id),
      ...labels,
      base_value,
      factor,
      payable_amount,
      derived_base_value: base_value,
    })
    .execute();
};
