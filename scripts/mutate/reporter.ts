import type { TestEvent } from 'node:test/reporters';

/** What stands before the name of a test that has failed; the tested program prints lines, too. */
export const failed = 'failed: ';

/** Prints the names of the tests that have failed, one a line, without those of their suites. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    if (event.type !== 'test:fail') continue;
    const { details, name } = event.data;
    const { failureType } = details.error as { failureType?: string };
    if (failureType !== 'subtestsFailed') yield `\n${failed}${name}\n`;
  }
}
