import type { IncomingMessage } from 'node:http';

/** The default times within which a request has to arrive, in milliseconds. */
export const defaultPace = {
  /** For a complete request, whose body takes no longer; of a raw body, for its next bytes. */
  whole: 30_000,
  /** For a body of any kind. */
  body: 3_600_000,
};

type Pace = Readonly<typeof defaultPace>;

/** Bytes that must arrive in each such period of a body that may take longer. */
const least = 16_384;

interface Watch {
  readonly pace: Pace;
  /** When its time ends; from any point in time. */
  readonly end: number;
  readonly late: () => void;
  readonly stop: () => void;
}

const watches = new WeakMap<IncomingMessage, Watch>();

/** Calls `late` unless the complete request arrives in its time. */
export const expectCompletion = (request: IncomingMessage, pace: Pace, late: () => void): void => {
  const end = performance.now() + pace.body;
  const timer = lateAfter(request, Math.min(pace.whole, pace.body), late);
  watch(request, { pace, end, late, stop: () => clearTimeout(timer) });
};

/** Replaces the time for a complete request by a minimum rate, and the time for a body. */
export const expectProgress = (request: IncomingMessage): void => {
  const watched = watches.get(request);
  if (!watched) return;
  watched.stop();
  let seen = request.socket.bytesRead;
  const timer = setInterval(() => {
    const { bytesRead } = request.socket;
    if (!request.complete && bytesRead - seen < least) watched.late();
    seen = bytesRead;
  }, watched.pace.whole).unref();
  const last = lateAfter(request, watched.end - performance.now(), watched.late);
  const stop = () => {
    clearInterval(timer);
    clearTimeout(last);
  };
  watch(request, { ...watched, stop });
};

/** A complete body that is never read does not emit `end`: then the response is slow, not the request. */
const lateAfter = (request: IncomingMessage, ms: number, late: () => void): NodeJS.Timeout =>
  setTimeout(() => request.complete || late(), ms).unref();

const watch = (request: IncomingMessage, watched: Watch): void => {
  watches.set(request, watched);
  request.once('end', watched.stop).once('close', watched.stop);
};
