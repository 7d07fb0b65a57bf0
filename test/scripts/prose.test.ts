import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { collectPassages, readDocument } from '../../scripts/prose/collect.ts';
import { lintPassages } from '../../scripts/prose/lint.ts';
import type { Passage, PassageKind } from '../../scripts/prose/passage.ts';
import { readSource } from '../../scripts/prose/source.ts';

const lint = (kind: PassageKind, text: string) => lintPassages([{ kind, file: 'a', place: 1, text }]);
const of25 = `${'word '.repeat(24)}word.`;

/** A mistake in a text of each kind, and what it is said to be. */
const mistakes: [kind: PassageKind, text: string, finding: RegExp][] = [
  ['document', 'The answer has a body.', /“answer”, use “response”/],
  ['document', 'First.\n\nIt was\nanswered at once.', /^a:4: .*“answered”, use “respond”/],
  ['document', 'The address of the server.', /use “URL of …”/],
  ['document', 'The request is refused.', /use “rejected”/],
  ['document', '- `id` tells who it is.', /use “return”/],
  ['document', 'A patience of two seconds.', /use “timeout”/],
  ['document', 'The first lesson of a connection.', /use “warm-up”/],
  ['document', 'The holder of the lock.', /use “owner”/],
  ['document', 'Its surroundings.', /use “dependencies”/],
  ['document', 'As fast as the earlier build.', /use “release”/],
  ['document', 'More of it in issue 7.', /use “release”/],
  ['document', `One more ${of25}`, /maximum word count of 25/],
  ['message', 'The value must be a text.', /use “a string”/],
  ['message', 'The server refuses it.', /use “reject”/],
  ['docstring', 'Tells who calls.', /use “Return”/],
  ['docstring', `Returns ${'x'.repeat(93)}`, /101 characters, of 100/],
];

const correct: [kind: PassageKind, text: string][] = [
  ['document', of25],
  ['document', 'The IP address of the client, and `answer`.\n\n```\nThe answer in code.\n```'],
  ['message', 'The value must be a string.'],
  ['docstring', `Returns ${'x'.repeat(92)}`],
];

describe('the linter of prose', () => {
  for (const [kind, text, finding] of mistakes)
    it(`finds in a ${kind}: ${text.slice(0, 40)}`, async () => {
      const findings = await lint(kind, text);
      assert.equal(findings.length, 1, findings.join('\n'));
      assert.match(String(findings[0]), finding);
    });

  for (const [kind, text] of correct)
    it(`accepts in a ${kind}: ${text.slice(0, 40)}`, async () => assert.deepEqual(await lint(kind, text), []));

  it('names the file and the line of a text among others', async () => {
    const text =
      '/**\n * Returns it.\n */\nconst a = 1;\n/** The holder. */\nconst b = `The server has refused it.`;\n';
    const others: Passage[] = [{ kind: 'docstring', file: 'b.ts', place: 1, text: 'One.' }];
    assert.deepEqual(
      (await lintPassages([...others, ...readSource('a.ts', text)])).map(finding => finding.split(': ')[0]),
      ['a.ts:5', 'a.ts:6'],
    );
  });

  it('reads the messages of code, but no statements in SQL', () => {
    const text =
      "fail('The value is too long'); sql`select one of them`; send('select one of them'); name('two words');";
    assert.deepEqual(
      readSource('a.ts', text).map(passage => passage.text),
      ['The value is too long'],
    );
  });

  it('reads the summaries and descriptions of a published document', () => {
    const document = { info: { description: 'The guide' }, paths: { '/a': { get: { summary: 'List a' } } } };
    assert.deepEqual(readDocument('a.json', document), [
      { kind: 'document', file: 'a.json', place: '/paths//a/get/summary', text: 'List a' },
    ]);
  });
});

describe('the texts that are held to the words of the project', () => {
  const passages = collectPassages();

  for (const [what, kind, file] of [
    ['the README', 'document', /^README\.md$/],
    ['the guide', 'document', /^spec\/guide\.md$/],
    ['the documentation', 'document', /^docs\/operations\.md$/],
    ["the client's README", 'document', /^scripts\/client\/README\.md$/],
    ['the published documents', 'document', /^generated\/openapi\.json$/],
    ['the document of the administration', 'document', /^generated\/administration\.json$/],
    ['the error catalogue', 'message', /^generated\/errors\.ts$/],
    ['messages of the server', 'message', /^src\/engine\//],
    ['the help of the command line', 'message', /^src\/cli\//],
    ['docstrings of the server', 'docstring', /^src\/core\//],
    ['docstrings of the scripts', 'docstring', /^scripts\/generate\//],
  ] as const)
    it(`include ${what}`, () => assert.ok(passages.some(passage => passage.kind === kind && file.test(passage.file))));
});
