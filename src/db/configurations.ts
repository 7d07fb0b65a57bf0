/** What employees are asked for where neither the event nor its project tells. */
const defaults = {
  confirmation: { enabled: 1 },
  livestamps: { enabled: 0 },
  checkins: { enabled: 0, required_types: [1, 4], minutes_before: 60, minutes_after: 120 },
  work_time_proposals: { enabled: 0, mandatory: 0 },
  wage_proposals: { enabled: 0 },
  reporting_forms: { enabled: 0, mandatory: 0 },
  signed_work_data: { enabled: 0, methods: ['signature', 'pin'] },
  team_leader: { enabled: 0 },
} as const;

type Defaults = typeof defaults;

/**
 * SQL: all sections as the arguments of `jsonb_build_object`. A setting is the event's (table `e`), or else its project's (`p`), or
 * else the default; a list is one setting.
 */
export const mergedSections: string = Object.entries(defaults)
  .map(
    ([name, values]) => `'${name}', '${JSON.stringify(values)}'::jsonb
        || coalesce(p.configurations -> '${name}', '{}') || coalesce(e.configurations -> '${name}', '{}')`,
  )
  .join(',\n      ');

/** SQL: one setting by the same rule, a jsonb value. */
export const mergedSetting = <Section extends keyof Defaults>(
  section: Section,
  name: keyof Defaults[Section] & string,
): string =>
  `coalesce(e.configurations #> '{${section},${name}}', p.configurations #> '{${section},${name}}', '${JSON.stringify(defaults[section][name])}')`;
