import type { components, records } from '../../generated/client.ts';

type Change = components['schemas']['Change'];
type ChangesPage = components['schemas']['Changes'];

/** The resources whose changes can be followed. */
export type Followed = keyof records;

/** A change by resource, with the record if it is included. */
type ChangeOf<R extends Followed, I> = {
  readonly [N in R]: Omit<Change, 'resource' | 'record'> & {
    readonly resource: N;
  } & (I extends 'record' ? { readonly record: records[N] | null } : { readonly record?: never });
}[R];

/** The change of a source that the API user cannot read: it has neither fields nor a record. */
type SourceChange = components['schemas']['SourceChange'] & { readonly fields?: never; readonly record?: never };

/** Which changes are followed. */
export interface ChangesOptions<R extends Followed = Followed, I extends 'record' | undefined = 'record' | undefined> {
  /**
   * The cursor to continue after.
   * `now`: only what changes from now on. Without it: the oldest change that is kept.
   */
  readonly after?: string;
  /** The resources whose changes are followed; all by default. */
  readonly resource?: readonly R[];
  /** The kinds of changes; all by default. */
  readonly change?: readonly Change['change'][];
  /** `record` adds the record of each change as it is now, null if it has been deleted. */
  readonly include?: I;
  /** Whether to wait for further changes (default), instead of ending when all have been delivered. */
  readonly follow?: boolean;
  /** Ends the waiting. */
  readonly signal?: AbortSignal;
}

/**
 * Changes of records, in order.
 * Store `cursor` to continue with another program: it moves when all changes of a page have been taken, so that after
 * an interruption some come again, but none is lost. An ApiError `cursor_expired` (410) tells to start again: take
 * `after: 'now'` first, then read the listings.
 */
export interface Changes<R extends Followed = Followed, I = undefined>
  extends AsyncIterable<ChangeOf<R, I> | SourceChange> {
  /** The cursor after the last page; undefined before the first one. */
  readonly cursor: string | undefined;
}

type ReadPage = (query: Readonly<Record<string, unknown>>, signal: AbortSignal | undefined) => Promise<unknown>;

/** Seconds for which the service holds a request until something changes. */
const longest = 30;

/** Returns the changes that `read` requests page by page. */
export const changes = (
  read: ReadPage,
  { after, resource, change, include, follow = true, signal }: ChangesOptions = {},
): Changes<Followed, 'record'> => {
  const lists = { ...(resource && { resource }), ...(change && { change }), ...(include && { include }) };
  const state = {
    cursor: after === 'now' ? undefined : after,
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const from = state.cursor ?? after;
        const position = from === undefined ? {} : { after: from };
        const query = { ...lists, ...position, limit: 1000, ...(follow && { wait: longest }) };
        const page = (await read(query, signal)) as ChangesPage;
        yield* page.changes as (ChangeOf<Followed, 'record'> | SourceChange)[];
        state.cursor = page.next;
        if (!follow && page.caught_up) return;
      }
    },
  };
  return state;
};
