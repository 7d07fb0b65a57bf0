import type { Migration } from 'kysely/migration';
import * as tenancy from './0001-tenancy.ts';
import * as basics from './0002-basics.ts';
import * as collections from './0003-collections.ts';
import * as people from './0004-people.ts';
import * as events from './0005-events.ts';
import * as assignments from './0006-assignments.ts';
import * as files from './0010-files.ts';
import * as work from './0011-work.ts';
import * as availability from './0012-availability.ts';
import * as billing from './0013-billing.ts';
import * as changeRequests from './0014-change-requests.ts';
import * as dynamicFields from './0020-dynamic-fields.ts';
import * as idempotencyKeys from './0040-idempotency-keys.ts';
import * as assignmentHistory from './0050-assignment-history.ts';
import * as livestamps from './0065-livestamps.ts';
import * as reportingForms from './0070-reporting-forms.ts';
import * as openActions from './0071-open-actions.ts';
import * as jobs from './0080-jobs.ts';
import * as automations from './0081-automations.ts';

/** In the order in which they are applied: by name. */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-tenancy': tenancy,
  '0002-basics': basics,
  '0003-collections': collections,
  '0004-people': people,
  '0005-events': events,
  '0006-assignments': assignments,
  '0010-files': files,
  '0011-work': work,
  '0012-availability': availability,
  '0013-billing': billing,
  '0014-change-requests': changeRequests,
  '0020-dynamic-fields': dynamicFields,
  '0040-idempotency-keys': idempotencyKeys,
  '0050-assignment-history': assignmentHistory,
  '0065-livestamps': livestamps,
  '0070-reporting-forms': reportingForms,
  '0071-open-actions': openActions,
  '0080-jobs': jobs,
  '0081-automations': automations,
};
