import type { Transaction } from '../../db/database.ts';
import { newId } from '../../db/ids.ts';
import { baseValueOf } from '../../domain/pay/derive.ts';
import { amountOf } from '../../domain/pay/money.ts';
import { labelsOf, type Profile, profilesOf } from '../../domain/pay/profile.ts';
import { termErrors } from '../../domain/pay/terms.ts';
import { ACCEPTED, decides, decisionErrors, recordDecision, requireNotAccepted } from '../../domain/work/decide.ts';
import { freeze, lockAround, lockedAssignment, type WorkedAssignment } from '../../domain/work/lock.ts';
import { bookedErrors } from '../../domain/work/plausible.ts';
import type { Values } from '../../engine/body.ts';
import type { Rules } from '../../engine/rules.ts';

/**
 * A proposal has a wage type that applies to its assignment, and is decided once.
 * Accepting it creates a wage, and keeps the terms that it was accepted on.
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
    if (!before || decides(before, after)) errors.push(...termErrors(after, await profileOf(after, transaction)));
    return { errors, found: assignment };
  },
  follow: async ({ before, after }, transaction, call, assignment) => {
    if (!after || !assignment || !decides(before, after)) return;
    await recordDecision('wage_proposals', after, { assignment }, call.principal.apiUser.id, transaction);
    if (after.status === ACCEPTED) await addWage(after, transaction);
  },
};

/** Returns the profile that applies to the assignment of a proposal. */
const profileOf = async ({ assignment_id }: Values, transaction: Transaction): Promise<Profile | undefined> => {
  const assignmentId = Number(assignment_id);
  return (await profilesOf([assignmentId], transaction)).get(assignmentId);
};

const addWage = async (proposal: Values, transaction: Transaction): Promise<void> => {
  const profile = await profileOf(proposal, transaction);
  const wageType = profile?.wageTypes.find(({ id }) => id === proposal.wage_type_id);
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
