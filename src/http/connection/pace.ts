import type { IncomingMessage } from 'node:http';

/** Milliseconds that a request may take to arrive whole, unless told otherwise. */
export const patience = 30_000;
/** Bytes that must arrive in each such time of a body that may take longer. */
const least = 16_384;

interface Watch {
  readonly within: number;
  readonly late: () => void;
  readonly stop: () => void;
}

const watches = new WeakMap<IncomingMessage, Watch>();

/** Calls `late` unless the request arrives whole within so many milliseconds. */
export const expectWhole = (request: IncomingMessage, within: number, late: () => void): void => {
  // A body that no one reads does not end, though it may be there: the answer is what takes so long then.
  const timer = setTimeout(() => request.complete || late(), within).unref();
  watch(request, { within, late, stop: () => clearTimeout(timer) });
};

/** Lets the request's body take as long as it likes, while it makes some progress. */
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
