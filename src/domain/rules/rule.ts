import type { components } from '../../../generated/api.ts';
import type { TenantRule } from '../../core/resource/fields.ts';

/** The work that a rule applies to: all members match, any id of a list. */
export type RuleScope = components['schemas']['WorkRuleScope'];

/** What a rule limits. */
export type KindName = components['schemas']['WorkRuleKind'];

/** The times that a rule judges: the planned ones, recorded work, or recorded work where there is any. */
export type RuleBasis = components['schemas']['WorkRuleBasis'];

/** A working-time rule that is not off, as it is judged. */
export interface WorkRule extends Pick<TenantRule, 'id' | 'kind' | 'mode' | 'basis' | 'parameters'> {
  readonly appliesTo: RuleScope;
  readonly except: RuleScope | null;
  /** YYYY-MM-DD, inclusive; null: open. */
  readonly validFrom: string | null;
  readonly validTo: string | null;
  readonly timeZone: string;
}
