import { execFile } from 'node:child_process';
import { it } from 'node:test';
import { promisify } from 'node:util';

const alone = new URL('memory.alone.ts', import.meta.url).pathname;

it('a large file goes in and out in little memory, in a process that does nothing else', async () => {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  // Rejects, with what was printed, unless the test in there passes.
  await promisify(execFile)(process.execPath, ['--expose-gc', '--test', '--test-isolation=none', alone], { env });
});
