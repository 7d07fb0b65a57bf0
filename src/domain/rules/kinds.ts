import type { Kind } from './kind.ts';
import { averageHours } from './kinds/average-hours.ts';
import { breaks } from './kinds/breaks.ts';
import { daysInARow } from './kinds/days-in-a-row.ts';
import { forbiddenHours } from './kinds/forbidden-hours.ts';
import { hireOut } from './kinds/hire-out.ts';
import { hoursPerDay } from './kinds/hours-per-day.ts';
import { hoursPerWeek } from './kinds/hours-per-week.ts';
import { night } from './kinds/night.ts';
import { rest } from './kinds/rest.ts';
import { spanPerDay } from './kinds/span-per-day.ts';
import { weeklyRest } from './kinds/weekly-rest.ts';
import type { KindName } from './rule.ts';

/** The kinds of working-time rules. */
const kinds = {
  rest,
  hours_per_day: hoursPerDay,
  span_per_day: spanPerDay,
  hours_per_week: hoursPerWeek,
  average_hours: averageHours,
  days_in_a_row: daysInARow,
  weekly_rest: weeklyRest,
  breaks,
  night,
  forbidden_hours: forbiddenHours,
  hire_out: hireOut,
} satisfies Readonly<Record<KindName, unknown>>;

/** Returns the kind of a rule, whose parameters are valid by the schema of that kind. */
export const kindOf = (name: KindName): Kind<object> => kinds[name] as Kind<object>;
