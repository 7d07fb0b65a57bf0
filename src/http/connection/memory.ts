import { Session } from 'node:inspector/promises';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';

/**
 * Settles the memory of this thread after its start, in a tenth of a second.
 * What only the start has needed is returned to the system, such as the 32 MiB in which young objects were made: the engine by itself keeps
 * it as long as little happens. From now on the heap may grow to twice the size of what is in use before all of it is searched for garbage:
 * by itself the engine does so after each 8 MiB of buffers, which two long listings take, and spends a third of the CPU time on it.
 */
export const settleMemory = async (): Promise<void> => {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage');
  // Not in the task that has collected: it holds a lock that the end of the session waits for.
  await setImmediate();
  session.disconnect();
  setFlagsFromString('--heap-growing-percent=100');
};
