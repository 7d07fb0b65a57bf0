import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getConstructionPlans } from 'pg-boss';
import { ownSchema } from '../../../src/db/schema/files.ts';

const versionsIn = (text: string): readonly number[] =>
  [...text.matchAll(/jobs\.version\s*(?:\(version\) VALUES \(|SET version = )'?(\d+)/gi)].map(([, version]) =>
    Number(version),
  );

test('the migrations bring the job queue to the version that pg-boss works with', () => {
  const [wanted] = versionsIn(getConstructionPlans('jobs'));
  assert.ok(wanted);
  assert.equal(versionsIn(ownSchema.migrations.map(({ text }) => text).join('\n')).at(-1), wanted);
});
