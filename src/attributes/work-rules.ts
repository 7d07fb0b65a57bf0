import type { TenantRule } from '../core/resource/fields.ts';
import type { Result } from '../db/database.ts';
import { tenantStatement } from '../db/enter.ts';

/** A rule of `work_rules` as JSON. */
export const workRuleJson = `jsonb_build_object('id', id, 'kind', kind, 'mode', mode, 'basis', basis, 'parameters', parameters,
      'applies_to', applies_to, 'except', "except", 'valid_from', valid_from, 'valid_to', valid_to, 'time_zone', time_zone)`;

/** Reads the working-time rules that are not off, in the order of their ids. */
export const workRulesStatement = tenantStatement(
  'dynamic_work_rules',
  `select ${workRuleJson} from work_rules where tenant_id = $1 and mode <> 'off' order by id`,
);

/** Returns the rules that `workRulesStatement` has read. */
export const workRulesOf = (result: Result | undefined): readonly TenantRule[] =>
  (result?.rows ?? []).flatMap(([rule]) => (rule ? [JSON.parse(rule) as TenantRule] : []));
