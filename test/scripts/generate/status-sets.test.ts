import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { assignmentHolding } from '../../../generated/status-sets.ts';
import { generateFiles, repository } from '../../../scripts/generate.ts';
import { temporaryFolder } from './support.ts';

describe('named sets of statuses', () => {
  describe('changed in the spec', () => {
    let files: ReadonlyMap<string, string>;
    before(async () => {
      const folder = join(temporaryFolder(), 'spec');
      cpSync(repository.specDirs[0] as string, folder, { recursive: true });
      const file = join(folder, 'resources/assignment-status.tsp');
      const text = readFileSync(file, 'utf8');
      const changed = text.replace('"Fill a place.",', '$& AssignmentStatus.applied,');
      assert.notEqual(changed, text);
      writeFileSync(file, changed);
      files = await generateFiles({ ...repository, specDirs: [folder] });
    });

    const places: readonly (readonly [file: string, pattern: RegExp])[] = [
      ['status-sets.ts', /assignmentHolding: readonly number\[\] = \[3, 5, 6, 7\]/],
      ['status-sets.sql', /assignment_holding\(status integer\)[^;]+in \(3, 5, 6, 7\);/],
      ['resources.ts', /name: 'today', query: 'start=today&status=3,5,6,7&sort=start'/],
      ['openapi.json', /"holding": \[\s+3,\s+5,\s+6,\s+7\s+\]/],
    ];
    for (const [file, pattern] of places) it(`change in ${file}`, () => assert.match(files.get(file) ?? '', pattern));
  });

  it('stand nowhere in the code as literals', () => {
    const literal =
      /status['"]?\)?(, '(not )?in', \[| (not )?in \()\d|\[\d(, \d)+\]\.includes\(\w*status|[sS]tatus\w* = (new Set\()?\[\d/;
    const src = join(import.meta.dirname, '../../../src');
    const found = readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter(name => /\.(ts|sql)$/.test(name) && !name.includes('migrations'))
      .flatMap(name =>
        readFileSync(join(src, name), 'utf8')
          .split('\n')
          .flatMap(line => (literal.test(line) ? `${name}: ${line}` : [])),
      );
    assert.deepEqual(found, []);
    assert.deepEqual(assignmentHolding, [5, 6, 7]);
  });
});
