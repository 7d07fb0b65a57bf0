import type { Call } from '../../core/call/call.ts';
import { isOn } from '../../core/call/switch.ts';
import type { Tenant } from '../../core/principal.ts';
import { type Access, isAllowed } from '../../core/resource/access.ts';
import type { Fields, TenantRule } from '../../core/resource/fields.ts';
import { LONGEST_DAY, NEARBY } from './kind.ts';
import { kindOf } from './kinds.ts';
import type { RuleScope, WorkRule } from './rule.ts';

/** The working-time rules that a write is judged by. */
export interface Rulebook {
  readonly rules: readonly WorkRule[];
  /** Whether `force` overrides those that reject. */
  readonly isForceable: boolean;
  /** Days to both sides of some work that decide about it. */
  readonly reach: number;
}

/** Whether a rule looks further than that, such as at an average of weeks. */
export const isLong = ({ kind }: WorkRule): boolean => kindOf(kind).reach !== undefined;

/** Whether a rule asks where work is done, or by which wage profile. */
export const asksPlacement = ({ kind, appliesTo, except }: WorkRule): boolean =>
  kindOf(kind).asksPlacement === true || [appliesTo, except].some(scope => scope !== null && isPlaced(scope));

const isPlaced = (scope: RuleScope): boolean =>
  [scope.wage_profile_ids, scope.function_ids, scope.client_ids, scope.location_ids, scope.country_ids].some(
    ids => ids !== undefined,
  );

/** Returns the minutes to both sides of some work beyond which other work does not matter to a rule. */
export const nearnessOf = ({ kind, parameters }: WorkRule): number => {
  const { near, reach } = kindOf(kind);
  return near?.(parameters) ?? (reach?.(parameters) ?? NEARBY) * LONGEST_DAY;
};

/** The rules of a write that nothing is judged for. */
export const noRules: Rulebook = { rules: [], isForceable: true, reach: NEARBY };

/** Returns the rules that a write of an API user is judged by: none without the module. */
export const rulebookOf = (
  { rules = [] }: Pick<Fields, 'rules'>,
  tenant: Pick<Tenant, 'modules' | 'timeZone'>,
  access: Access,
): Rulebook => {
  if (rules.length === 0 || !tenant.modules.has('rules')) return noRules;
  const judged = rules.map(rule => ruleOf(rule, tenant.timeZone));
  return {
    rules: judged,
    isForceable: isAllowed(access, 'work-rules', 'write'),
    reach: Math.max(NEARBY, ...judged.map(({ kind, parameters }) => kindOf(kind).reach?.(parameters) ?? 0)),
  };
};

/** How a write of staffing is judged, and who makes it. */
export interface JudgedWrite {
  readonly rulebook: Rulebook;
  /** Whether what can be overridden is. */
  readonly force: boolean;
  /** Null: the service. */
  readonly apiUserId: number | null;
}

/** The call of a write that is judged. */
interface JudgedCall extends Pick<Call, 'parameters' | 'principal'> {
  readonly fields: Pick<Fields, 'rules'>;
}

/** Returns how the write that a call asks for is judged. */
export const judgedAs = ({ fields, parameters, principal: { tenant, apiUser } }: JudgedCall) => ({
  rulebook: rulebookOf(fields, tenant, apiUser),
  force: isOn(parameters, 'force'),
  apiUserId: apiUser.id,
});

const ruleOf = (
  { applies_to, except, valid_from, valid_to, time_zone, ...rule }: TenantRule,
  timeZone: string,
): WorkRule => ({
  ...rule,
  appliesTo: applies_to,
  except,
  validFrom: valid_from,
  validTo: valid_to,
  timeZone: time_zone ?? timeZone,
});
