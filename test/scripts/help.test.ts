import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { promisify } from 'node:util';

const { scripts, config } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: Readonly<Record<string, string>>;
  config: Readonly<Record<string, string>>;
};

for (const tool of ['bench', 'contract', 'faults', 'mutate', 'simulate', 'walk', 'witness'])
  test(`npm run ${tool} explains itself with --help`, async () => {
    const command = (scripts[tool] ?? '').replace('$npm_package_config_node', config.node ?? '').split(' ');
    const { stdout } = await promisify(execFile)(process.execPath, [...command.slice(1), '--help']);
    assert.ok(stdout.startsWith(`npm run ${tool} -- `), stdout);
  });
