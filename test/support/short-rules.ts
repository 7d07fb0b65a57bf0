/** A rule of each kind that looks at near work alone, as the law of many countries has them. One asks for the age of people. */
export const shortRules = [
  { kind: 'rest', parameters: { minutes: 660 } },
  { kind: 'hours_per_day', parameters: { minutes: 600 } },
  { kind: 'span_per_day', parameters: { minutes: 780 } },
  { kind: 'hours_per_week', parameters: { minutes: 3600 } },
  { kind: 'days_in_a_row', parameters: { days: 6 } },
  { kind: 'weekly_rest', parameters: { minutes: 2100, per_days: 7 } },
  { kind: 'breaks', parameters: { steps: [{ over: 360, minutes: 30 }] } },
  { kind: 'night', parameters: { from: '23:00', to: '06:00', over: 120, in_a_row: 5 }, applies_to: { age_below: 18 } },
];
