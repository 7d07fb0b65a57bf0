import type { IncomingMessage } from 'node:http';

/** Default time for a complete request to arrive, in milliseconds. */
export const requestTimeout = 30_000;
/** Bytes that must arrive in each such period of a body that may take longer. */
const least = 16_384;

interface Watch {
  readonly within: number;
  readonly late: () => void;
  readonly stop: () => void;
}

const watches = new WeakMap<IncomingMessage, Watch>();

/** Calls `late` unless the complete request arrives within `within` milliseconds. */
export const expectCompletion = (request: IncomingMessage, within: number, late: () => void): void => {
  // A complete body that is never read does not emit `end`: then the response is slow, not the request.
  const timer = setTimeout(() => request.complete || late(), within).unref();
  watch(request, { within, late, stop: () => clearTimeout(timer) });
};

/** Replaces the request's time limit by a minimum rate: its body may take any time while it makes progress. */
export const expectProgress = (request: IncomingMessage): void => {
  const watched = watches.get(request);
  if (!watched) return;
  watched.stop();
  let seen = request.socket.bytesRead;
  const timer = setInterval(() => {
    const { bytesRead } = request.socket;
    if (!request.complete && bytesRead - seen < least) watched.late();
    seen = bytesRead;
  }, watched.within).unref();
  watch(request, { ...watched, stop: () => clearInterval(timer) });
};

const watch = (request: IncomingMessage, watched: Watch): void => {
  watches.set(request, watched);
  request.once('end', watched.stop).once('close', watched.stop);
};
