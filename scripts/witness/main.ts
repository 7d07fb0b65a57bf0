import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { compareResults } from './compare.ts';
import { withService } from './perform.ts';
import { planAll } from './plan/main.ts';
import { createRecording, readRecording } from './recording.ts';
import { Renaming } from './renaming.ts';
import { type Allowance, isAllowed, Report } from './report.ts';
import type { Step } from './step.ts';

const usage = `npm run witness -- record FILE                    records the response of every operation on the demo data
npm run witness -- compare FILE [--allow FILE] [--examples N] [--renamed-ids]
                                                  repeats a recording and prints the differences

The allow file is a JSON list of allowed differences: {operation?, purpose?, status?: "404 422", header?, bodyPath?, why}.
With --renamed-ids, ids of records may differ if each one is replaced consistently.`;

const record = async (path: string): Promise<number> => {
  const recording = createRecording(path);
  const statuses = new Map<string, number>();
  let count = 0;
  await withService(planAll, entry => {
    recording.add(entry);
    count++;
    const status = `${entry.result.status}`;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  });
  await recording.close();
  const counts = [...statuses].sort().map(([status, number]) => `${status}: ${number}`);
  process.stdout.write(`${count} steps recorded (${counts.join(', ')})\n`);
  return 0;
};

const resourceOf = (step: Step): string => (step.kind === 'request' ? (step.target.split(/[/?.]/)[3] ?? '') : '');

interface ComparisonOptions {
  readonly allowances: readonly Allowance[];
  readonly examples: number;
  readonly renaming: Renaming | null;
}

const compare = async (path: string, { allowances, examples, renaming }: ComparisonOptions): Promise<number> => {
  const report = new Report(examples);
  const counts = { steps: 0, allowed: 0, differing: 0 };
  await withService(
    async perform => {
      for await (const { step, result } of readRecording(path)) {
        const { number, result: now } = await perform(step);
        const differences = compareResults(result, now, renaming && { renaming, resource: resourceOf(step) });
        const allowed = differences.filter(difference => isAllowed(allowances, step, difference));
        const unexpected = differences.filter(difference => !allowed.includes(difference));
        for (const difference of unexpected) report.add(number, step, difference);
        counts.steps++;
        counts.allowed += allowed.length;
        if (unexpected.length > 0) counts.differing++;
      }
    },
    () => {},
  );
  const { steps, allowed, differing } = counts;
  process.stdout.write(`${report.lines().join('\n')}\n`);
  process.stdout.write(`${steps} steps, ${differing} of them differ; ${allowed} differences are allowed\n`);
  return differing === 0 ? 0 : 1;
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    allow: { type: 'string' },
    examples: { type: 'string', default: '3' },
    'renamed-ids': { type: 'boolean' },
    help: { type: 'boolean', default: false },
  },
});
const [command, path] = positionals;
if (values.help) console.log(usage);
else if (path && command === 'record') process.exitCode = await record(path);
else if (path && command === 'compare') {
  const allowances = values.allow ? JSON.parse(readFileSync(values.allow, 'utf8')) : [];
  process.exitCode = await compare(path, {
    allowances,
    examples: Number(values.examples),
    renaming: values['renamed-ids'] ? new Renaming() : null,
  });
} else {
  process.stderr.write(`${usage}\n`);
  process.exitCode = 2;
}
