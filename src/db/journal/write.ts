import { LRUCache } from 'lru-cache';
import { type JournalTable, journalTables } from './tables.ts';

/** What happened to a record. */
export type ChangeKind = 'created' | 'updated' | 'deleted';

/** The change that a statement makes to the records of a table. */
export interface Write {
  readonly table: JournalTable;
  readonly change: ChangeKind;
  /** The fields that show what it sets, whether that differs or not. */
  readonly fields: readonly string[];
}

/** The columns with which a statement returns the ids and external ids of changed records. */
export const idColumn = 'journal_id';
export const externalIdColumn = 'journal_external_id';
/** The column by which it returns, for each record, the names of the fields whose values differ. */
export const fieldsColumn = 'journal_fields';

/** The columns that are returned for the journal alone. */
export const journalColumns: ReadonlySet<string> = new Set([idColumn, externalIdColumn, fieldsColumn]);

/**
 * Returns the change that a statement makes to a journalled table; null if it makes none.
 * @throws Error if the records that it changes could not be entered in the journal
 */
export const writeOf = (text: string): Write | null => {
  const known = cache.get(text);
  if (known) return known.write;
  const write = findWrite(text);
  if (text.length < MAX_CACHED) cache.set(text, { write });
  return write;
};

const cache = new LRUCache<string, { readonly write: Write | null }>({ max: 4000 });
const MAX_CACHED = 20_000;

/** A token of a statement; strings, quoted names and comments are one token each. */
const token = /--[^\n]*|"(?:[^"]|"")*"|'(?:[^']|'')*'|[a-z_][\w$]*|[(),=;]/gi;

interface Token {
  /** Words in lower case, quoted names without quotes. */
  readonly text: string;
  /** Levels of parentheses around it. */
  readonly depth: number;
}

const tokensOf = (text: string): readonly Token[] => {
  let depth = 0;
  const tokens: Token[] = [];
  for (const [match] of text.matchAll(token)) {
    if (match.startsWith('--')) continue;
    if (match === ')') depth--;
    tokens.push({ text: match.startsWith('"') ? match.slice(1, -1) : match.toLowerCase(), depth });
    if (match === '(') depth++;
  }
  return tokens;
};

interface WriteTarget {
  readonly verb: 'insert' | 'update' | 'delete';
  readonly table: JournalTable;
  readonly name: string;
  /** The position after the table's name. */
  readonly next: number;
  readonly depth: number;
}

const verbs = { insert: 'created', update: 'updated', delete: 'deleted' } as const;

const targetsOf = (tokens: readonly Token[]): readonly WriteTarget[] =>
  tokens.flatMap(({ text, depth }, index) => {
    const verb = text === 'insert' || text === 'update' || text === 'delete' ? text : null;
    if (!verb || isClause(tokens[index - 1]?.text)) return [];
    let at = index + 1;
    while (['into', 'from', 'only'].includes(tokens[at]?.text ?? '')) at++;
    const name = tokens[at]?.text ?? '';
    const table = journalTables.get(name);
    return table ? [{ verb, table, name, next: at + 1, depth }] : [];
  });

/** Whether `update` is part of a clause: FOR UPDATE, FOR NO KEY UPDATE, DO UPDATE. */
const isClause = (previous: string | undefined): boolean => ['for', 'key', 'do'].includes(previous ?? '');

const findWrite = (text: string): Write | null => {
  const tokens = tokensOf(text);
  const targets = targetsOf(tokens);
  const [target] = targets;
  if (!target) return null;
  const reject = (reason: string): never => {
    throw new Error(`A statement that changes ${target.name} can't be entered in the journal: ${reason}.`);
  };
  if (targets.length > 1 || target.depth > 0) reject('it has more than one part that changes records');
  const outer = tokens.filter(({ depth }) => depth === 0).map(word => word.text);
  if (outer.some((word, index) => word === 'do' && outer[index + 1] === 'update'))
    reject('an insert with ON CONFLICT DO UPDATE does not return which records it creates');
  if (!target.table.beside && !outer.includes(idColumn))
    reject(`it does not return the ids of the records as ${idColumn}`);
  const columns = target.verb === 'insert' ? inserted(tokens, target) : assigned(tokens, target);
  return {
    table: target.table,
    change: target.table.beside ? 'updated' : verbs[target.verb],
    fields: target.verb === 'delete' ? [] : columns.flatMap(column => target.table.fields.get(column) ?? []),
  };
};

/** The columns of an insert: the names between the parentheses after the table. */
const inserted = (tokens: readonly Token[], { next }: WriteTarget): readonly string[] => {
  const open = tokens.findIndex(({ text }, index) => index >= next && text === '(');
  const close = tokens.findIndex(({ text }, index) => index > open && text === ')');
  return tokens.slice(open + 1, close).flatMap(({ text }) => (text === ',' ? [] : [text]));
};

/** The columns of an update: the names before `=` in its SET clause. */
const assigned = (tokens: readonly Token[], { next }: WriteTarget): readonly string[] => {
  const rest = tokens.slice(next).filter(({ depth }) => depth === 0);
  const start = rest.findIndex(({ text }) => text === 'set');
  const end = rest.findIndex(({ text }, index) => index > start && ['from', 'where', 'returning'].includes(text));
  const clause = rest.slice(start, end);
  return clause.flatMap(({ text }, index) => {
    const before = clause[index - 1]?.text;
    return (before === 'set' || before === ',') && clause[index + 1]?.text === '=' ? [text] : [];
  });
};
