import type { components } from '../../../generated/api.ts';
import { resources } from '../../../generated/resources.ts';
import { presets } from '../../../generated/work-rules.ts';
import { renewStatement } from '../../attributes/registration.ts';
import type { Call } from '../../core/call/call.ts';
import { ApiError } from '../../core/errors.ts';
import { root } from '../../core/root.ts';
import type { Action } from '../../engine/action.ts';
import { addRecord } from '../../engine/create.ts';
import { identify } from '../../engine/references/external-id.ts';
import { showRecords } from '../../engine/verb.ts';
import { presetRules } from './presets.ts';
import { workRules } from './rules.ts';

/** POST /work-rules/presets/{preset}: makes the rules of a preset that the tenant does not have. */
export const applyPreset: Action<'workRules_applyPreset'> = (call, db) =>
  db.transaction(async transaction => {
    const { preset } = call.params;
    if (!Object.hasOwn(presets, preset)) throw new ApiError('not_found');
    const wanted = presetRules(preset);
    // One after the other: the version's row is locked.
    await transaction.send(renewStatement(transaction.tenant.id));
    const names = wanted.map(rule => rule.preset);
    const { kysely } = transaction;
    const stored = await kysely.selectFrom('work_rules').select('preset').where('preset', 'in', names).execute();
    const known = new Set(stored.map(rule => rule.preset));
    const resource = resources['work-rules'];
    const ids: number[] = [];
    for (const { preset: origin, ...rule } of wanted.filter(rule => !known.has(rule.preset))) {
      const { mode = 'warn', applies_to = {} } = call.body;
      const body = { ...rule, mode, applies_to: both(applies_to, rule.applies_to) };
      const own = { ...call, body: body as unknown as Call['body'] };
      const identified = await identify(own, resource, transaction);
      const { id } = await addRecord(own, identified, resource, transaction, workRules);
      void transaction.defer(kysely.updateTable('work_rules').set({ preset: origin }).where('id', '=', id));
      ids.push(id);
    }
    const made = await showRecords(resource, ids, call, transaction);
    if (ids.length === 0) return made;
    return { ...made, status: 201, headers: { location: `${root}/${resource.name}?id=${ids.join()}` } };
  });

type Scope = components['schemas']['WorkRuleScope'];

/** Returns the work that both scopes match; no preset has lists. */
const both = (given: Scope, own: Scope): Scope => ({
  ...given,
  ...own,
  ...(given.age_from !== undefined && { age_from: Math.max(given.age_from, own.age_from ?? 0) }),
  ...(given.age_below !== undefined && {
    age_below: Math.min(given.age_below, own.age_below ?? Number.POSITIVE_INFINITY),
  }),
});
