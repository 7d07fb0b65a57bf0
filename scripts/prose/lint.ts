import { TextlintKernel } from '@textlint/kernel';
import markdown from '@textlint/textlint-plugin-markdown';
import wordCount from 'textlint-rule-en-max-word-count';
import terminology from 'textlint-rule-terminology';
import type { Passage, PassageKind } from './passage.ts';
import words from './words.json' with { type: 'json' };

/** Words that a sentence of a document may have. */
const maxWords = 25;
/** Characters that the first line of a docstring may have. */
const maxLength = 100;

const kernel = new TextlintKernel();
const termRule = (terms: unknown) => ({ ruleId: 'words', rule: terminology, options: { terms, defaultTerms: false } });
const rules = {
  document: [termRule(words.everywhere), { ruleId: 'sentences', rule: wordCount, options: { max: maxWords } }],
  message: [termRule([...words.everywhere, ...words.messages])],
  docstring: [termRule(words.everywhere)],
};

/** Returns what is to be mended in passages: `<file>:<line or path>: <what>`. */
export const lintPassages = async (passages: readonly Passage[]): Promise<string[]> => {
  const kinds = [...Map.groupBy(passages, ({ kind }) => kind)];
  const findings = await Promise.all(kinds.map(([kind, list]) => lintKind(kind, list)));
  return [...findings.flat(), ...passages.flatMap(lengthOf)];
};

const lengthOf = ({ kind, file, place, text }: Passage): string[] =>
  kind === 'docstring' && text.length > maxLength
    ? [`${file}:${place}: The first line has ${text.length} characters, of ${maxLength} at most.`]
    : [];

/** Checks all passages of a kind as one document, in which each is a paragraph or more. */
const lintKind = async (kind: PassageKind, passages: readonly Passage[]): Promise<string[]> => {
  const places = passages.flatMap(({ file, place, text }) =>
    [...text.split('\n'), ''].map((_, i) => `${file}:${typeof place === 'number' ? place + i : place}`),
  );
  const text = passages.map(passage => `${passage.text}\n`).join('\n');
  const plugins = [{ pluginId: 'markdown', plugin: markdown.default }];
  const { messages } = await kernel.lintText(text, { ext: '.md', plugins, rules: rules[kind] });
  return messages.map(({ line, message }) => `${places[line - 1]}: ${message}`);
};
