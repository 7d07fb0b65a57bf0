import type { TestEvent } from 'node:test/reporters';

/** Prints the names of the tests that have failed, one a line, without those of their suites. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    if (event.type !== 'test:fail') continue;
    const { details, name } = event.data;
    const { failureType } = details.error as { failureType?: string };
    if (failureType !== 'subtestsFailed') yield `${name}\n`;
  }
}
