import ts from 'typescript';
import type { Passage } from './passage.ts';

/**
 * Returns the messages in a TypeScript file and the first lines of its docstrings.
 * Messages are its strings of three words or more.
 */
export const readSource = (file: string, text: string): Passage[] => [
  ...docstringsOf(file, text),
  ...messagesOf(file, text),
];

/** Text that is no sentence but a statement in SQL. */
const isSql = (text: string): boolean =>
  /^\s*(select|insert|update|delete|with|create|begin|set|lock|explain)\b/i.test(text);

const docstringsOf = (file: string, text: string): Passage[] =>
  [...text.matchAll(/^[ \t]*\/\*\*([\s\S]*?)\*\//gm)].map(({ 1: body = '', index }) => {
    const lines = body.split('\n').map(line => line.replace(/^\s*\*?/, '').trim());
    const at = lines.findIndex(line => line !== '');
    const place = text.slice(0, index).split('\n').length + Math.max(0, at);
    return { kind: 'docstring', file, place, text: lines[at] ?? '' };
  });

const messagesOf = (file: string, text: string): Passage[] => {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const passages: Passage[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTaggedTemplateExpression(node)) return;
    const message = messageIn(node, source);
    if (message !== null && /[a-z]+ [a-z]+ [a-z]+/i.test(message) && !isSql(message)) {
      const place = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
      passages.push({ kind: 'message', file, place, text: message });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return passages;
};

/** Returns the text of a literal, with inserted values as code; null: the node is no literal. */
const messageIn = (node: ts.Node, source: ts.SourceFile): string | null => {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return null;
  const parts = node.templateSpans.map(
    span => `\`${span.expression.getText(source).replaceAll('`', '')}\`${span.literal.text}`,
  );
  return [node.head.text, ...parts].join('');
};
