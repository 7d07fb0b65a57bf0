import { setImmediate } from 'node:timers/promises';
import { stoppedEarly } from './server/stopped-early.ts';

const signals = ['SIGTERM', 'SIGINT'] as const;
const stop = (): never => {
  process.stdout.write(stoppedEarly);
  process.exit(0);
};

// Before the modules of the server, whose loading takes seconds on a busy machine: nothing has been done yet that needs an end.
for (const signal of signals) process.on(signal, stop);
const { run } = await import('./server/run.ts');
// Loading lets no signal in.
await setImmediate();
await run(
  () => {
    for (const signal of signals) process.off(signal, stop);
  },
  async (command, database) => (await import('./cli/in-server.ts')).runOn(command, database),
);
