// Loaded into the process of a simulation and into its worker threads, where the embedded database reads the time (node --require).
// Time stands still until the simulation moves it, timers are due in that time, and everything random comes from one seed.
const crypto = require('node:crypto');
const { syncBuiltinESMExports } = require('node:module');
const timersPromises = require('node:timers/promises');
const { getEnvironmentData, isMainThread, setEnvironmentData } = require('node:worker_threads');
const { fixDate } = require('../witness/fixed-date.cjs');

const seed = Number(process.env.SIMULATE_SEED);
const key = 'simulation';

/** Milliseconds since 1970, which all threads share. */
const clock = isMainThread ? new Float64Array(new SharedArrayBuffer(8)) : new Float64Array(getEnvironmentData(key));
if (isMainThread) {
  clock[0] = Date.parse('2027-03-03T08:00:00Z');
  setEnvironmentData(key, clock.buffer);
}

const fixTime = () => {
  fixDate(() => Math.trunc(clock[0]));
  const { timeOrigin } = performance;
  performance.now = () => clock[0] - timeOrigin;
};

const fixRandom = () => {
  let state = (seed + (isMainThread ? 1 : 2) * 7919) >>> 0;
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const fill = view => {
    const bytes = ArrayBuffer.isView(view) ? new Uint8Array(view.buffer, view.byteOffset, view.byteLength) : view;
    for (let index = 0; index < bytes.length; index++) bytes[index] = Math.floor(random() * 256);
    return view;
  };
  const uuid = () => {
    const bytes = fill(Buffer.alloc(16));
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  };
  Math.random = random;
  crypto.randomUUID = uuid;
  crypto.randomFillSync = fill;
  crypto.randomBytes = (size, done) => {
    const bytes = fill(Buffer.alloc(size));
    if (!done) return bytes;
    process.nextTick(done, null, bytes);
  };
  const { webcrypto } = crypto;
  Object.defineProperty(webcrypto, 'getRandomValues', { value: fill });
  Object.defineProperty(webcrypto, 'randomUUID', { value: uuid });
};

/** The timers that are set: what Node calls a Timeout, in simulated time. */
const timers = new Set();
let sequence = 0;

class Timer {
  constructor(callback, ms, args, repeats) {
    this.callback = callback;
    this.ms = Math.max(1, Math.trunc(Number(ms) || 1));
    this.args = args;
    this.repeats = repeats;
    this.refresh();
  }
  refresh() {
    this.due = clock[0] + this.ms;
    this.place = sequence++;
    timers.add(this);
    return this;
  }
  fire() {
    if (this.repeats) this.refresh();
    else timers.delete(this);
    this.callback(...this.args);
  }
  close() {
    timers.delete(this);
    return this;
  }
  ref() {
    return this;
  }
  unref() {
    return this;
  }
  hasRef() {
    return true;
  }
  [Symbol.toPrimitive]() {
    return this.place;
  }
  [Symbol.dispose]() {
    this.close();
  }
}

const fixTimers = () => {
  const { clearTimeout: clearReal } = globalThis;
  const clear = timer => (timer instanceof Timer ? timer.close() : clearReal(timer));
  const changes = {
    setTimeout: (callback, ms, ...args) => new Timer(callback, ms, args, false),
    setInterval: (callback, ms, ...args) => new Timer(callback, ms, args, true),
    clearTimeout: clear,
    clearInterval: clear,
  };
  Object.assign(globalThis, changes);
  Object.assign(require('node:timers'), changes);
  timersPromises.setTimeout = (ms, value, { signal } = {}) =>
    new Promise((resolve, reject) => {
      const abort = () => {
        timer.close();
        reject(Object.assign(new Error('The operation was aborted'), { name: 'AbortError', code: 'ABORT_ERR' }));
      };
      const timer = new Timer(
        () => {
          signal?.removeEventListener('abort', abort);
          resolve(value);
        },
        ms,
        [],
        false,
      );
      if (signal?.aborted) abort();
      else signal?.addEventListener('abort', abort, { once: true });
    });
};

if (!Number.isNaN(seed)) {
  fixTime();
  fixRandom();
  if (isMainThread) fixTimers();
  syncBuiltinESMExports();
  globalThis[Symbol.for(key)] = { clock, timers };
}
