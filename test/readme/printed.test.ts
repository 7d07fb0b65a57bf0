import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { run } from '../../src/cli/run.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { mismatches } from '../support/conformance/document.ts';
import { blocksOf, chapterOf } from './server.ts';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** All documents that people read beside the code. */
const documents = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'spec/guide.md', 'scripts/client/README.md'],
  ...globSync('docs/**/*.md', { cwd: root }),
];

/** A block of code in a document: commands, a program, a body. */
interface PrintedBlock {
  readonly document: string;
  readonly heading: string;
  /** Why no test runs it as it is printed, by the comment before it. */
  readonly reason: string | null;
}

const blocksIn = (document: string): readonly PrintedBlock[] =>
  [...read(document).matchAll(/(?:<!-- not run as printed: ([^>]*) -->\n\n)?^ *```[a-z]+$/gm)].map(match => ({
    document,
    heading:
      [
        ...read(document)
          .slice(0, match.index)
          .matchAll(/^##? (.+)$/gm),
      ].at(-1)?.[1] ?? '',
    reason: match[1] ?? null,
  }));
const blocks = documents.filter(document => document !== 'CHANGELOG.md').flatMap(blocksIn);

/** Commands within sentences and tables, with the document that has them. */
const inline = documents
  .filter(document => document !== 'CHANGELOG.md')
  .flatMap(document =>
    [
      ...read(document)
        .replaceAll(/^ *```[\s\S]*?^ *```/gm, '')
        .matchAll(/`([^`\n]+(?:\n[^`\n]+)?)`/g),
    ].map(([, text = '']) => ({
      document,
      text: text.replaceAll(/\s+/g, ' '),
    })),
  );

describe('a printed block of code', () => {
  it('is in a chapter that a test takes by its name, or says why none runs it', () => {
    const tests = globSync('test/**/*.test.ts', { cwd: root }).concat('test/readme/server.ts').map(read).join('\n');
    assert.ok(blocks.length > 40);
    for (const { document, heading, reason } of blocks)
      if (reason === null)
        assert.ok(
          tests.includes(`chapterOf('${document}', '${heading}')`),
          `no test takes the code of "${heading}" in ${document}`,
        );
  });

  it('is left out in these places only', () => {
    assert.deepEqual(
      blocks
        .filter(({ reason }) => reason !== null)
        .map(({ document, heading }) => `${document}: ${heading}`)
        .toSorted(),
      [
        'docs/deploy/README.md: Docker Compose',
        'docs/operations.md: Backups',
        'docs/operations.md: Disaster',
        'docs/operations.md: Disaster',
        'docs/scaling.md: Citus',
        'docs/testing.md: Where the time goes',
      ],
    );
  });

  const bodies: readonly [document: string, chapter: string, schema: string][] = [
    ['spec/guide.md', chapterOf('spec/guide.md', 'Working-time rules'), 'WorkRuleBreach'],
    ['spec/guide.md', chapterOf('spec/guide.md', 'Errors'), 'ValidationError'],
    ['docs/payroll.md', chapterOf('docs/payroll.md', 'Public holidays'), 'WageTypeInput'],
  ];
  for (const [document, chapter, schema] of bodies)
    it(`is what the schema ${schema} describes, in ${document}`, () => {
      const [text = ''] = blocksOf(chapter, 'json');
      assert.deepEqual(mismatches({ $ref: `#/components/schemas/${schema}` }, JSON.parse(text)), []);
    });
});

describe('a printed command', () => {
  it('of npm names a script that there is', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Readonly<Record<string, string>> };
    const names = inline.flatMap(({ document, text }) =>
      [...text.matchAll(/\bnpm (?:run (?:--silent )?([\w:-]+)|(test|start)\b)/g)].map(([, script, own]) => ({
        document,
        script: script ?? own ?? '',
      })),
    );
    assert.ok(names.length > 40);
    for (const { document, script } of names) assert.ok(scripts[script], `${document}: npm run ${script}`);
  });

  it('of a benchmark names one that there is', () => {
    const programs = read('scripts/bench/main.ts');
    const named = inline.flatMap(({ text }) => [...(/^npm run bench (\w+)/.exec(text) ?? [])].slice(1));
    assert.ok(named.length > 8);
    for (const name of named) assert.ok(programs.includes(`  ${name}: async () =>`), name);
  });

  it('that chooses tests finds some', () => {
    const chosen = inline.flatMap(({ text }) => /^TEST_FILES='([^']+)' npm test$/.exec(text)?.[1] ?? []);
    assert.ok(chosen.length > 10);
    for (const pattern of chosen) assert.ok(globSync(pattern, { cwd: join(root, 'test') }).length > 0, pattern);
  });

  it('of the command line is one, with options that it has', async () => {
    const commands = inline.flatMap(
      ({ text }) => /^(?:npm run --silent staffing -- |staffing )((?![<-])[^…]+)/.exec(text)?.[1]?.trim() ?? [],
    );
    assert.ok(commands.length > 20);
    for (const command of new Set(commands)) {
      const words = command.split(' ').filter(word => !word.startsWith('-'));
      const printed: string[] = [];
      const write = (line: string) => void printed.push(line);
      const status = await run([...words, '--help'], { environment: {}, out: write, note: write });
      const help = printed.join('\n');
      assert.equal(status, 0, `${command}: ${help}`);
      const [, path = ''] = /^Usage: staffing ((?:[a-z][\w-]* ?)*)/.exec(help) ?? [];
      assert.ok(path !== '' && `${words.join(' ')} `.startsWith(path), `${command}: ${help}`);
      for (const [option] of command.matchAll(/--[a-z][\w-]*/g))
        assert.ok(help.includes(option), `${command}: ${help}`);
    }
  });

  it('of one test file runs it', () => {
    const [command = ''] = blocksOf(chapterOf('docs/testing.md', 'One test'), 'sh');
    const env = { ...childEnvironment, NODE_TEST_CONTEXT: undefined };
    assert.match(
      execFileSync('bash', ['-c', command], { cwd: root, env, encoding: 'utf8' }),
      /pass [1-9]\d*\n[\s\S]*fail 0/,
    );
  });
});

/** Returns the anchors of a document's headings, as GitHub makes them. */
const anchorsOf = (path: string): ReadonlySet<string> =>
  new Set(
    [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    ),
  );

describe('the documents', () => {
  it('link to files and headings that there are', () => {
    let count = 0;
    for (const document of documents.filter(name => name !== 'spec/guide.md'))
      for (const [, link = ''] of read(document).matchAll(/(?:\]\(|(?:src|srcset)=")((?!https?:)[^)"\s]+)/g)) {
        const [path = '', anchor] = link.split('#');
        const file = path === '' ? document : join(dirname(document), path);
        assert.ok(existsSync(join(root, file)), `${document}: ${link}`);
        if (anchor) assert.ok(anchorsOf(file).has(anchor), `${document}: ${link}`);
        count += 1;
      }
    assert.ok(count > 40);
  });

  it('name files that there are, except those that their steps create', () => {
    const names = documents
      .filter(name => name !== 'CHANGELOG.md')
      .flatMap(name => [...read(name).matchAll(/(?<!^\d+\. )`((?:src|spec|test|scripts|docs)\/[\w./-]+\.\w+)`/gm)])
      .map(([, name = '']) => name)
      .filter(name => !name.includes('NNNN'));
    assert.ok(names.length > 50);
    for (const name of names) assert.ok(existsSync(join(root, name)), name);
  });

  it('name each change once, in the changelog of the release that has it', () => {
    const bullets = [...read('CHANGELOG.md').matchAll(/^- (?:.*\n(?: {2}.*\n)*)/gm)].map(([text]) =>
      text.split(/\s+/).join(' '),
    );
    assert.ok(bullets.length > 100);
    assert.deepEqual(
      bullets.filter((text, index) => bullets.indexOf(text) < index),
      [],
    );
  });

  it('begin with a README of 10 kB at most', () => assert.ok(Buffer.byteLength(read('README.md')) <= 10_000));
});
