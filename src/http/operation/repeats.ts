import { LRUCache } from 'lru-cache';
import type { Seen } from '../../attributes/tenant-fields.ts';
import type { Reply } from '../../core/call/reply.ts';
import { tallies } from '../../core/tally.ts';
import type { Earlier } from '../../db/journal/snapshots.ts';
import { acceptsGzip } from '../response/compression.ts';
import type { FormatSettings } from '../response/formats.ts';
import { readyBody } from '../response/render.ts';
import type { Admitted } from './steps.ts';

/** Responses to listings and reads, kept for repetitions of their requests. */
export interface Repeats {
  /**
   * Returns the cached reply if the journal shows no later change; otherwise that of `read`.
   * The journal is read each time. A reply of `read` is cached if it can be.
   */
  serve(admitted: Admitted, read: (seen?: Seen) => Promise<Reply>): Promise<Reply>;
}

/** How replies are kept. */
export interface RepeatOptions {
  /** Maximum bytes of all of them; 0: none is kept. */
  readonly bytes: number;
  /** Returns whether what was read of a tenant earlier is still what it has. */
  readonly holds: (tenantId: number, earlier: Earlier) => Promise<boolean>;
}

/** A reply with the earliest state of the data that it may show. */
interface RepeatableReply {
  readonly reply: Reply;
  readonly earlier: Earlier;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** Milliseconds for which a reply is kept: far below the journal's time for changes that end it. */
const longest = 300_000;
/** Bytes that an entry takes beside its key and body. */
const overhead = 2_000;
/** The part of all bytes that one reply may have. */
const share = 1 / 8;

/** Creates the cache of replies; null: none is kept. */
export const createRepeats = (options: RepeatOptions | null, settings: FormatSettings): Repeats => {
  if (!options || options.bytes === 0) return { serve: (_, read) => read() };
  const { bytes, holds } = options;
  const kept = new LRUCache<string, RepeatableReply>({
    maxSize: bytes,
    maxEntrySize: Math.floor(bytes * share),
    sizeCalculation: sizeOf,
    dispose: (reply, key, reason) => reason === 'evict' && tallies.cacheEvicted.add(name, sizeOf(reply, key)),
  });

  return {
    async serve(admitted, read) {
      const { request, match } = admitted;
      const { tenant, wire } = request;
      const { verb } = match.operation;
      // An envelope shows the headers of its own response.
      if ((verb !== 'list' && verb !== 'read') || wire.envelope) return read();
      const gzip = acceptsGzip(request.exchange.req.headers['accept-encoding']?.toString());
      const key = keyOf(admitted, gzip);
      const known = kept.get(key);
      // Where it cannot be found out whether a reply still holds, the read decides.
      const isSame = known && Date.now() < known.until && (await holds(tenant.id, known.earlier).catch(() => false));
      (isSame ? tallies.cacheHits : tallies.cacheMisses).add(name);
      if (isSame) return known.reply;
      const seen: Seen = [];
      const reply = await read(seen);
      const { basis, body, ...rest } = reply;
      // A second transaction has seen what the first one has, unless what it reads has changed since: then the reply does not hold.
      const [first] = seen;
      if (!first || !basis || body?.kind !== 'rows') return reply;
      const until = Math.min(basis.until ?? Number.POSITIVE_INFINITY, Date.now() + longest);
      if (until <= Date.now()) return reply;
      const ready = await readyBody(body, wire.format, { tenantId: tenant.id, gzip, settings });
      const repeatable = { ...rest, body: ready };
      kept.set(key, { reply: repeatable, earlier: { ...first, resources: basis.reads }, until });
      return repeatable;
    },
  };
};

/** The name of the cache in metrics. */
const name = 'responses';

const sizeOf = ({ reply: { body } }: RepeatableReply, key: string): number =>
  overhead + 2 * key.length + (body?.kind === 'ready' ? body.bytes.length : 0);

/**
 * Returns a key that is the same for requests with the same reply, as long as the data are the same.
 * All that planning and rendering depend on beside them. The format is part of the URL.
 */
const keyOf = ({ request: { exchange, tenant }, principal }: Admitted, gzip: boolean): string => {
  const { id, hidden, scopes } = principal.apiUser;
  // The same for API users who see the same records.
  const view = hidden.length === 0 && scopes.length === 0 ? '' : JSON.stringify([id, hidden, scopes]);
  return `${tenant.id} ${tenant.timeZone} ${tenant.clockAhead} ${[...tenant.modules]} ${view} ${gzip} ${exchange.req.url}`;
};
