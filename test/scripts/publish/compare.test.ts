import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { problemsOf } from '../../../scripts/publish/check.ts';
import { type Api, compareApis } from '../../../scripts/publish/published.ts';
import { breaking, compatible, copyOfGenerated, generated, type Mutation, versionOf } from './mutations.ts';

/** A copy that nothing changes: a mutation says how many places there are without making a change. */
const pristine = copyOfGenerated();

/** Changes the API in up to `count` places, evenly chosen from all, each by itself. */
const mutants = ({ changes }: Mutation, count = 5): { readonly where: string; readonly api: Api }[] => {
  const { length } = changes(pristine);
  assert.ok(length > 0, 'there is a place for it');
  const chosen = new Set(Array.from({ length: count }, (_, index) => Math.floor((index * length) / count)));
  return [...chosen].map(index => {
    const api = copyOfGenerated();
    const change = changes(api)[index];
    change?.make();
    return { where: change?.where ?? '', api };
  });
};

describe('the comparison of two versions of the API', () => {
  it('finds nothing where nothing has changed', () => assert.deepEqual(compareApis(generated, copyOfGenerated()), []));

  for (const mutation of breaking)
    it(`finds that programs break: ${mutation.name}`, () => {
      for (const { where, api } of mutants(mutation)) {
        const found = compareApis(generated, api);
        const named = found.filter(finding => finding.breaking && finding.where.startsWith(where));
        assert.ok(named.length > 0, `${where}: ${JSON.stringify(found.slice(0, 5))}`);
        const rest = found.filter(finding => finding.breaking && !named.includes(finding));
        // Only what refers to the same component may be named beside it.
        assert.ok(rest.length <= named.length, `${where}: ${JSON.stringify(rest.slice(0, 5))}`);
      }
    });

  for (const mutation of compatible)
    it(`finds a change that breaks no program: ${mutation.name}`, () => {
      for (const { where, api } of mutants(mutation)) {
        const found = compareApis(generated, api);
        assert.deepEqual(
          found.filter(finding => finding.breaking),
          [],
          where,
        );
        assert.ok(
          found.some(finding => finding.where.startsWith(where)),
          `${where}: ${JSON.stringify(found.slice(0, 5))}`,
        );
      }
    });

  it('finds nothing in other descriptions and examples', () => {
    const api = copyOfGenerated();
    api.document.info.description = 'Another one.';
    for (const item of Object.values<Record<string, { description?: string }>>(api.document.paths))
      for (const operation of Object.values(item)) operation.description = 'Another one.';
    assert.deepEqual(compareApis(generated, api), []);
  });
});

describe('the check of the version', () => {
  const [broken, added] = [breaking[0] as Mutation, compatible[0] as Mutation];
  const published = versionOf('1.4.2');

  it('rejects a breaking change without a new major version, and names it', () => {
    for (const version of ['1.4.2', '1.4.3', '1.5.0']) {
      const problems = problemsOf(published, versionOf(version, broken));
      assert.match(problems[0] ?? '', /the operation has been removed/);
      assert.match(problems.join('\n'), /2\.0\.0/);
    }
  });

  it('accepts it with one, and compatible changes with a new minor version', () => {
    assert.deepEqual(problemsOf(published, versionOf('2.0.0', broken)), []);
    for (const version of ['1.4.2', '1.4.3'])
      assert.match(
        problemsOf(published, versionOf(version, added)).join('\n'),
        /the operation is new[\s\S]*1\.5\.0 or higher/,
      );
    assert.deepEqual(problemsOf(published, versionOf('1.5.0', added)), []);
    assert.deepEqual(problemsOf(published, versionOf('1.4.2')), []);
  });
});
