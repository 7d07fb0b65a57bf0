import { execFile } from 'node:child_process';
import { it } from 'node:test';
import { promisify } from 'node:util';

const alone = new URL('memory.alone.ts', import.meta.url).pathname;

it('a large file is uploaded and downloaded in little memory, in a separate process', async () => {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  // Rejects with the output of the process unless its test passes.
  await promisify(execFile)(process.execPath, ['--expose-gc', '--test', '--test-isolation=none', alone], { env });
});
