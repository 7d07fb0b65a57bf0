import { lockAround } from '../../domain/work/lock.ts';
import type { Rules } from '../../engine/rules.ts';

/** A report belongs to where its assignment is: that cannot move meanwhile. */
export const assignmentEmploymentReports: Rules = { lock: lockAround('assignment_employment_reports') };
