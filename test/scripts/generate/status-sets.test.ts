import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { assignmentHolding } from '../../../generated/status-sets.ts';
import { generateFiles } from '../../../scripts/generate.ts';
import { isQuick, problemsOf, withChanges } from './support.ts';

describe('named sets of statuses', () => {
  describe('changed in the spec', () => {
    let files: ReadonlyMap<string, string>;
    before(async () => {
      files = await generateFiles(
        withChanges([
          ['resources/assignment-status.tsp', '"Fill a place.",', '"Fill a place.", AssignmentStatus.applied,'],
        ]),
        isQuick,
      );
    });

    const places: readonly (readonly [file: string, pattern: RegExp])[] = [
      ['status-sets.ts', /assignmentHolding[^=]*= \[3, 5, 6, 7\]/],
      ['status-sets.sql', /assignment_holding\(status integer\)[^;]+in \(3, 5, 6, 7\);/],
      [
        'resources.ts',
        /name: 'today',\s+parameters: \[\['start', 'today'\], \['status', '3,5,6,7'\], \['event.status', '1,2,3'\], \['sort', 'start'\]\]/,
      ],
      ['openapi.json', /"holding": \[\s+3,\s+5,\s+6,\s+7\s+\]/],
    ];
    for (const [file, pattern] of places) it(`change in ${file}`, () => assert.match(files.get(file) ?? '', pattern));
  });

  it('are not repeated in the code as literals', () => {
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

  it('are those of partial indexes, which say in a comment which one theirs is', () => {
    const folder = join(import.meta.dirname, '../../../src/db/migrations');
    const texts = readdirSync(folder).map(name => readFileSync(join(folder, name), 'utf8'));
    const functions = readFileSync(join(import.meta.dirname, '../../../generated/status-sets.sql'), 'utf8');
    const indexes = texts.flatMap(text =>
      [...text.matchAll(/create (?:unique )?index (\w+) [^;]*where status in (\([^)]*\))/g)].map(([, name, values]) => {
        const [, set = ''] = new RegExp(`comment on index ${name} is '(\\w+)\\(status\\)'`).exec(text) ?? [];
        const [, wanted] = new RegExp(`function ${set}\\([^;]* in (\\([^)]*\\));`).exec(functions) ?? [];
        return { name, values, wanted };
      }),
    );
    assert.ok(indexes.length > 0);
    for (const { name, values, wanted } of indexes) assert.equal(values, wanted, name);
  });

  const sets = (decorator: string, query = 'status={seated}'): string => `
    /** How far a stool has come. */
    @OpenAPI.extension("type", "integer")
    enum StoolStatus {
      /** Free. */
      free: 1,

      /** Taken. */
      taken: 2,
    }
    ${decorator}

    /** A stool. */
    @resource("stools")
    @example(#{ id: 1, status: StoolStatus.free })
    model Stool {
      /** Its id. */
      @visibility(Lifecycle.Read) id: Id;

      /** Its status. */
      status: StoolStatus;
    }

    /** Stools. */
    @serves(Stool)
    interface Stools extends List<Stool> {
      /** Those that are taken. */
      @summary("List taken stools")
      @route("taken")
      @predefinedListing("${query}")
      taken is listing<Stool>;
    }`;
  const seated = '@@statusSet(StoolStatus, "seated", "Someone sits there.", StoolStatus.taken);';

  const cases: readonly (readonly [label: string, text: string, code: string])[] = [
    [
      'a member of another enumeration',
      sets(seated.replace('StoolStatus.taken', 'EventStatus.draft')),
      'staffing/foreign-status',
    ],
    ['a set without members', sets(seated.replace(', StoolStatus.taken', '')), 'staffing/empty-status-set'],
    ['two sets with the same name', sets(`${seated}\n${seated}`), 'staffing/taken-name'],
    ['an invalid name', sets(seated.replaceAll('seated', 'is-Seated'), 'status=1'), 'staffing/invalid-name'],
    ['a listing of an unknown set', sets(seated, 'status={standing}'), 'staffing/unknown-status-set'],
  ];
  describe('have the generator report', () => {
    let reported: readonly string[][];
    before(async () => {
      // All of them at once, each with its own names: the generator compiles the whole spec each time.
      const texts = cases.map(([, text], index) =>
        text.replaceAll(/tool|eated/g, name => `${name}${String.fromCharCode(97 + index)}`),
      );
      const problems = await problemsOf(texts.join('\n'));
      const found = cases.map((): string[] => []);
      for (const { code, at } of problems) {
        // Four lines of the file are before the first text.
        let line = Number(/^more\.tsp:(\d+)$/.exec(at)?.[1]) - 4;
        const index = texts.findIndex(text => {
          const count = text.split('\n').length;
          line -= count;
          return line <= 0;
        });
        (found[index] ?? assert.fail(`${code} at ${at}`)).push(code);
      }
      reported = found;
    });
    for (const [index, [label, , code]] of cases.entries()) it(label, () => assert.deepEqual(reported[index], [code]));
  });

  it('have the generator report an unknown member', async () => {
    const problems = await problemsOf(sets(seated.replace('StoolStatus.taken', 'StoolStatus.broken')));
    assert.deepEqual(
      problems.map(({ code }) => code),
      ['invalid-ref'],
    );
  });

  it('have the generator report nothing for a valid set', async () => {
    assert.deepEqual(await problemsOf(sets(seated)), []);
  });
});
