/** The work that a rule applies to: all members match, any id of a list. */
export interface RuleScope {
  readonly employee_ids?: readonly number[];
  readonly wage_profile_ids?: readonly number[];
  readonly qualification_ids?: readonly number[];
  readonly function_ids?: readonly number[];
  readonly client_ids?: readonly number[];
  readonly location_ids?: readonly number[];
  readonly country_ids?: readonly number[];
  /** In years, on the local day on which the work starts. */
  readonly age_from?: number;
  readonly age_below?: number;
}

/** What a rule limits. */
export type KindName =
  | 'rest'
  | 'hours_per_day'
  | 'span_per_day'
  | 'hours_per_week'
  | 'average_hours'
  | 'days_in_a_row'
  | 'weekly_rest'
  | 'breaks'
  | 'night'
  | 'forbidden_hours'
  | 'hire_out';

/** The times that a rule judges: the planned ones, recorded work, or recorded work where there is any. */
export type RuleBasis = 'planned' | 'worked' | 'both';

/** A working-time rule that is not off, as it is judged. */
export interface WorkRule {
  readonly id: number;
  readonly kind: KindName;
  readonly mode: 'warn' | 'refuse';
  readonly basis: RuleBasis;
  /** Those of its kind. */
  readonly parameters: object;
  readonly appliesTo: RuleScope;
  readonly except: RuleScope | null;
  /** YYYY-MM-DD, inclusive; null: open. */
  readonly validFrom: string | null;
  readonly validTo: string | null;
  readonly timeZone: string;
}
