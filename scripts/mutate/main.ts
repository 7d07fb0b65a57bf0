import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type ListedMutation, listMutations } from './mutation.ts';
import { sample } from './sample.ts';
import { Trial, type TrialVerdict } from './trial.ts';

const usage = `npm run mutate -- [--changed [--base <commit>]] [--only <text>] [--sample <count> [--seed <number>]] [--seconds <count>] [--minutes <count>] [--trust]

Breaks each guard that test/mutations lists, one at a time in a copy of the repository, and runs its tests: one of them has to fail.

  --changed          only guards whose file, or one of whose tests, differs from a commit
  --base <commit>    that commit (HEAD)
  --only <text>      only guards whose area, file or guarantee contains the text
  --sample <count>   only as many, chosen at random
  --seed <number>    the seed of that choice (the day); 0x and the name of a commit is one, too
  --seconds <count>  how long the tests of one guard may take before they count as hung (300)
  --minutes <count>  no further guard is broken after so many
  --trust            the tests are known to pass as long as nothing is broken, and are run only once
`;

const root = fileURLToPath(new URL('../..', import.meta.url));

const changedSince = (base: string): ReadonlySet<string> => {
  const git = (...args: string[]): string[] =>
    spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout.split('\n');
  return new Set([...git('diff', '--name-only', base), ...git('ls-files', '-o', '--exclude-standard')]);
};

const print = ({ id, guarantee }: ListedMutation, { state, by }: TrialVerdict, seconds: number): void =>
  console.log(`${state.padEnd(8)} ${id.padEnd(16)} ${guarantee}${by ? ` [${by}]` : ''} (${seconds} s)`);

/** @returns the exit status: 0 if every broken guard was caught, 1 otherwise, 2 for wrong arguments */
const main = async (): Promise<number> => {
  const { values } = parseArgs({
    options: {
      changed: { type: 'boolean', default: false },
      base: { type: 'string', default: 'HEAD' },
      only: { type: 'string', default: '' },
      sample: { type: 'string' },
      seed: { type: 'string', default: new Date().toISOString().slice(0, 10).replaceAll('-', '') },
      seconds: { type: 'string', default: '300' },
      minutes: { type: 'string', default: 'Infinity' },
      trust: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const changed = values.changed ? changedSince(values.base) : null;
  const all = await listMutations(root);
  const chosen = all
    .filter(({ file, tests }) => changed === null || [file, ...tests].some(path => changed.has(path)))
    .filter(({ id, file, guarantee }) => `${id} ${file} ${guarantee}`.includes(values.only));
  const mutations = values.sample ? sample(chosen, Number(values.sample), Number(values.seed)) : chosen;
  const trial = new Trial(root, Number(values.seconds) * 1000, values.trust);
  const end = performance.now() + Number(values.minutes) * 60_000;
  const missed: string[] = [];
  const counts: Record<TrialVerdict['state'], number> = { caught: 0, survived: 0, hung: 0, invalid: 0 };
  try {
    for (const mutation of mutations) {
      const start = performance.now();
      if (start > end) break;
      const verdict = await trial.run(mutation);
      counts[verdict.state]++;
      if (verdict.state !== 'caught') missed.push(`${verdict.state}: ${mutation.id}: ${mutation.guarantee}`);
      print(mutation, verdict, Math.round((performance.now() - start) / 1000));
    }
  } finally {
    trial.close();
  }
  const { caught, survived, hung, invalid } = counts;
  const which = values.sample ? `, seed ${values.seed}` : '';
  const tried = caught + survived + hung + invalid;
  console.log(
    `${tried} of ${all.length} guards: ${caught} caught, ${survived} survived, ${hung} hung, ${invalid} invalid${which}`,
  );
  for (const line of missed) console.log(line);
  return missed.length === 0 ? 0 : 1;
};

process.exitCode = await main().catch((error: Error) => {
  console.error(error.message);
  console.error(usage);
  return 2;
});
