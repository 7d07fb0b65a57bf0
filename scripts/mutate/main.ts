import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type ListedMutation, listMutations } from './mutation.ts';
import { Trial, type TrialVerdict } from './trial.ts';

const usage = `npm run mutate -- [--changed [--base <commit>]] [--only <text>] [--sample <count> [--seed <number>]] [--seconds <count>]

Breaks each guard that test/mutations lists, one at a time in a copy of the repository, and runs its tests: one of them has to fail.

  --changed          only guards whose file, or one of whose tests, differs from a commit
  --base <commit>    that commit (HEAD)
  --only <text>      only guards whose area, file or guarantee contains the text
  --sample <count>   only as many, chosen at random
  --seed <number>    the seed of that choice (the day)
  --seconds <count>  how long the tests of one guard may take before they count as hung (300)
`;

const root = fileURLToPath(new URL('../..', import.meta.url));

const changedSince = (base: string): ReadonlySet<string> => {
  const git = (...args: string[]): string[] =>
    spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout.split('\n');
  return new Set([...git('diff', '--name-only', base), ...git('ls-files', '-o', '--exclude-standard')]);
};

/** Returns `count` of the items; the same for the same seed. */
const sample = <Item>(items: readonly Item[], count: number, seed: number): readonly Item[] => {
  let state = seed >>> 0;
  // A linear congruential generator is enough to choose with.
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return items
    .map(item => ({ item, place: random() }))
    .sort((a, b) => a.place - b.place)
    .slice(0, count)
    .map(({ item }) => item);
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
  const trial = new Trial(root, Number(values.seconds) * 1000);
  const counts: Record<TrialVerdict['state'], number> = { caught: 0, survived: 0, hung: 0, invalid: 0 };
  try {
    for (const mutation of mutations) {
      const start = performance.now();
      const verdict = await trial.run(mutation);
      counts[verdict.state]++;
      print(mutation, verdict, Math.round((performance.now() - start) / 1000));
    }
  } finally {
    trial.close();
  }
  const { caught, survived, hung, invalid } = counts;
  const which = values.sample ? `, seed ${values.seed}` : '';
  console.log(
    `${mutations.length} of ${all.length} guards: ${caught} caught, ${survived} survived, ${hung} hung, ${invalid} invalid${which}`,
  );
  return caught === mutations.length ? 0 : 1;
};

process.exitCode = await main().catch((error: Error) => {
  console.error(error.message);
  console.error(usage);
  return 2;
});
