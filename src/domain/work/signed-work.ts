import { resources } from '../../../generated/resources.ts';
import { isOn } from '../../core/call/switch.ts';
import { ApiError, type FieldError, fieldError } from '../../core/errors.ts';
import { completeSet } from '../../core/resource/fields.ts';
import type { Transaction } from '../../db/database.ts';
import type { ActionCall } from '../../engine/action.ts';
import { draftCreate, type Values } from '../../engine/body.ts';
import { checkReferences } from '../../engine/references/check.ts';
import { checkValue } from '../../engine/value.ts';
import { profilesOf } from '../pay/profile.ts';
import { termErrors } from '../pay/terms.ts';
import { lockSeats } from '../staffing/locked-staffing.ts';
import { freeze } from './lock.ts';
import { bookedErrors, distanceErrors } from './plausible.ts';
import { signedBefore } from './signed-before.ts';
import { type Signing, signingsOf } from './signing.ts';
import { timesErrors, timesOf } from './times.ts';

export type SignedCall = ActionCall<'assignments_signWorkData'>;

/** The proposals that signed work adds, as table rows, and its errors, by path in the body. */
export interface Proposals {
  readonly workTimes: readonly Values[];
  readonly wages: readonly Values[];
  readonly errors: readonly FieldError[];
  /** The status of each assignment. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Codes of the errors that `force` has overridden, by assignment. */
  readonly overridden: ReadonlyMap<number, readonly string[]>;
}

/**
 * Checks signed work, locking its assignments, and returns its proposals.
 * The number of statements does not depend on that of the items.
 * @throws ApiError module_disabled (403) for wages without the module payroll
 */
export const proposalsOf = async (call: SignedCall, transaction: Transaction): Promise<Proposals> => {
  const { items } = call.body;
  const { tenant } = call.principal;
  if (items.some(({ wages = [] }) => wages.length > 0) && !tenant.modules.has('payroll'))
    throw new ApiError('module_disabled', { message: 'Wages require the module payroll.' });
  const ids = [...new Set(items.map(({ assignment_id }) => assignment_id))];
  const seats = await lockSeats(ids, transaction);
  const signings = await signingsOf(ids, transaction);
  const profiles = await profilesOf(ids, transaction);
  const known = await signedBefore(ids, transaction);
  const [timeSet, wageSet] = [
    call.fields.get(resources['work-time-proposals']),
    call.fields.get(resources['wage-proposals']),
  ];
  const signature = await signatureOf(call, transaction);
  const errors = [...signature.errors, ...signerErrors(call, signings)];
  const workTimes: SignedSpan[] = [];
  const wages: Values[] = [];
  const overridden = new Map<number, readonly string[]>();
  const force = isOn(call.parameters, 'force');
  for (const [index, { assignment_id, work_times, wages: asked = [] }] of items.entries()) {
    const path = `items.${index}`;
    const field = `${path}.assignment_id`;
    const [seat, signing] = [seats.get(assignment_id), signings.get(assignment_id)];
    if (items.findIndex(item => item.assignment_id === assignment_id) < index)
      errors.push(fieldError('not_unique', field));
    if (work_times.length + asked.length === 0) errors.push(fieldError('not_empty', `${path}.work_times`));
    if (!seat || !signing)
      errors.push(fieldError('reference_not_found', field, `There is no assignment ${assignment_id}.`));
    else errors.push(...(freeze(seat, field).length > 0 ? freeze(seat, field) : bookedErrors(seat, field)));
    for (const [number, times] of work_times.entries()) {
      const draft = draftCreate(timeSet, { ...times, assignment_id }, tenant.timeZone);
      const wrong = [...draft.errors];
      const isKnown = known.hasTime(draft.values);
      if (wrong.length === 0 && !isKnown) {
        const far = seat ? distanceErrors(seat, timesOf(draft.values)) : [];
        if (force && far.length > 0) overridden.set(assignment_id, ['out_of_range']);
        wrong.push(...timesErrors(timesOf(draft.values)), ...(force ? [] : far));
      }
      errors.push(...wrong.map(error => within(`${path}.work_times.${number}`, error)));
      if (wrong.length > 0) continue;
      const values = { ...draft.values, ...signature.values };
      workTimes.push({ path: `${path}.work_times.${number}`, employee: signing?.employee_id ?? 0, values, isKnown });
    }
    for (const [number, wage] of asked.entries()) {
      const draft = draftCreate(wageSet, { ...wage, assignment_id }, tenant.timeZone);
      const wrong = [...draft.errors];
      if (wrong.length === 0 && signing) wrong.push(...termErrors(draft.values, profiles.get(assignment_id)));
      errors.push(...wrong.map(error => within(`${path}.wages.${number}`, error)));
      const { remarks = null, signed_at = null } = signature.values;
      if (!known.hasWage(draft.values)) wages.push({ ...draft.values, remarks, signed_at });
    }
  }
  errors.push(...mutualOverlaps(workTimes));
  const statuses = new Map([...seats].map(([id, { status }]) => [id, Number(status)]));
  const added = workTimes.flatMap(({ values, isKnown }) => (isKnown ? [] : [values]));
  return { workTimes: added, wages, errors, statuses, overridden };
};

/** A span of an employee's work, its path in the body, and whether a proposal has it already. */
interface SignedSpan {
  readonly path: string;
  readonly employee: number;
  readonly values: Values;
  readonly isKnown: boolean;
}

/** Returns an error for each span that starts before an earlier one of the same employee ends. */
const mutualOverlaps = (signed: readonly SignedSpan[]): readonly FieldError[] =>
  [...Map.groupBy(signed, ({ employee }) => employee).values()].flatMap(spans => {
    let end = '';
    return spans
      .toSorted((a, b) => (startOf(a) < startOf(b) ? -1 : 1))
      .flatMap(span => {
        const overlaps = startOf(span) < end;
        end = [end, String(span.values.end)].sort().at(-1) ?? end;
        return overlaps ? [fieldError('overlapping_work_time', `${span.path}.start`)] : [];
      });
  });

const startOf = ({ values }: SignedSpan): string => String(values.start);

const within = (path: string, error: FieldError): FieldError => ({ ...error, field: `${path}.${error.field}` });

/** Returns the fields of the signature, which all proposals have, and their errors. */
const signatureOf = async (
  { body, fields, principal }: SignedCall,
  transaction: Transaction,
): Promise<{ values: Values; errors: readonly FieldError[] }> => {
  const set = completeSet(fields.get(resources['work-time-proposals']));
  const { approver, signed_at, signature_file_id = null, remarks = null } = body;
  const errors: FieldError[] = [];
  const values: Record<string, Values[string]> = { signed_by_type: approver.type, signed_by_id: approver.id };
  for (const [name, value] of Object.entries({ signed_at, signature_file_id, remarks })) {
    const field = set.byName.get(name);
    if (!field) throw new Error(`Work time proposals have no field ${name}.`);
    const checked = checkValue(field, value, principal.tenant.timeZone);
    if ('errors' in checked) errors.push(...checked.errors);
    else values[name] = checked.value;
  }
  errors.push(...(await checkReferences(set, { signature_file_id }, resources, transaction)).errors);
  return { values, errors };
};

/** Returns the errors of approver and signature method, which must be among those of every assignment. */
const signerErrors = ({ body }: SignedCall, signings: ReadonlyMap<number, Signing>): readonly FieldError[] => {
  const { approver, method } = body;
  const required = (test: (signing: Signing) => boolean, ...error: Parameters<typeof fieldError>) => {
    const lacking = [...signings.values()].filter(signing => !test(signing));
    const assignment_ids = lacking.map(({ assignment_id }) => assignment_id);
    return lacking.length > 0 ? [{ ...fieldError(...error), assignment_ids }] : [];
  };
  const isApprover = ({ approvers }: Signing): boolean =>
    approvers.some(({ type, id }) => type === approver.type && id === approver.id);
  const takes = ({ methods }: Signing): boolean => methods.includes(method);
  return [
    ...required(isApprover, 'reference_not_found', 'approver.id', 'This person is not an approver of all assignments.'),
    ...required(takes, 'not_in_enumeration', 'method', 'Some assignments do not allow this signature method.'),
  ];
};
