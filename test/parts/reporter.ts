import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { spec, type TestEvent } from 'node:test/reporters';

/** When the gate began, in seconds since 1970, if this run is a part of it. */
const { GATE_BEGAN } = process.env;

/** Characters of a process's standard error that are repeated if it ends badly. */
const REPEATED = 2000;

/**
 * Prints what the runner's reporter `spec` prints, and, before the failed tests at the end, how processes of tests have ended that
 * no failed test explains: by which exit status or signal, and what they wrote last. An interrupted run says how long it has taken.
 */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const text of Readable.from(withEnds(events)).compose(new spec())) yield String(text);
}

async function* withEnds(events: AsyncIterable<TestEvent>): AsyncGenerator<TestEvent> {
  const written = new Map<string, string>();
  const ends: string[] = [];
  for await (const event of events) {
    // The reporter prints the failed tests when it gets the summary of all files.
    if (event.type === 'test:summary' && event.data.file === undefined)
      for (const message of ends) yield diagnostic(message);
    // Before its list of what was running, after which the process ends.
    if ((event.type as string) === 'test:interrupted') yield diagnostic(interruption());
    yield event;
    if (event.type === 'test:stderr') {
      const file = resolve(event.data.file);
      written.set(file, `${written.get(file) ?? ''}${event.data.message}`.slice(-REPEATED));
    } else if (event.type === 'test:fail') {
      const { name, file = name, details } = event.data;
      const { exitCode, signal } = details.error as { exitCode?: number | null; signal?: string | null };
      if (exitCode == null && signal == null) continue;
      ends.push(
        `${name} ended by ${signal ?? `exit status ${exitCode}`}; it wrote last:\n${written.get(resolve(file)) ?? ''}`,
      );
    }
  }
}

const diagnostic = (message: string): TestEvent =>
  ({ type: 'test:diagnostic', data: { nesting: 0, message, level: 'error' } }) as TestEvent;

const interruption = (): string => {
  const gate =
    GATE_BEGAN === undefined ? '' : `, ${inMinutes(Date.now() - Number(GATE_BEGAN) * 1000)} after the gate began`;
  return `The tests were interrupted after ${inMinutes(performance.now())}${gate}.`;
};

const inMinutes = (ms: number): string => `${(ms / 60_000).toFixed(1)} minutes`;
