import { registerHooks } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../../src/', import.meta.url));

/** The calls of the present recording, each as `file function:line`; null: nothing is recorded. */
let calls: string[] | null = null;
Object.assign(globalThis, { __walk: (name: string) => void calls?.push(name) });

const nameOf = (node: ts.SignatureDeclaration): string => {
  const named = node.name ?? ('name' in node.parent ? (node.parent.name as ts.Node | undefined) : undefined);
  const { line } = node.getSourceFile().getLineAndCharacterOfPosition(node.getStart());
  return `${named?.getText() ?? 'function'}:${line + 1}`;
};

/** Inserts a recording call at the start of every function of a source, without changing line numbers. */
const mark = (file: string, source: string): string => {
  const inserts: [position: number, text: string][] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const body = node.body as ts.Node;
      const call = `__walk(${JSON.stringify(`${file} ${nameOf(node)}`)})`;
      if (ts.isBlock(body)) inserts.push([body.getStart() + 1, `${call};`]);
      else inserts.push([body.getStart(), `(${call}, (`], [body.getEnd(), '))']);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true));
  return inserts
    .sort(([a], [b]) => b - a)
    .reduce((text, [position, insert]) => text.slice(0, position) + insert + text.slice(position), source);
};

/** Records the calls in modules of src/ that are imported from now on. */
export const instrument = (): void => {
  registerHooks({
    load: (url, context, next) => {
      const loaded = next(url, context);
      if (!url.startsWith('file:') || !fileURLToPath(url).startsWith(root) || !loaded.source) return loaded;
      const text = typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source);
      return { ...loaded, source: mark(relative(root, fileURLToPath(url)), text) };
    },
  });
};

/** Returns the calls made while `work` runs, in their order, each as `file function:line`. */
export const record = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
  const recorded: string[] = [];
  calls = recorded;
  try {
    await work();
  } finally {
    calls = null;
  }
  return recorded;
};
