import { parseArgs } from 'node:util';
import { faults } from './list.ts';
import { type FaultLine, faultTable } from './report.ts';
import { type FaultOutcome, tryFault } from './trial.ts';

const usage = `npm run faults -- [--short] [--only <text>]

Has everything go wrong that can while clients write, on the embedded database, on a Postgres server and with two workers, and compares
what was acknowledged with what is there: nothing missing, nothing doubled, nothing out of order, and every write sent again is a replay.

  --short        fewer and shorter faults, in about two minutes
  --only <text>  only faults whose name, or what they happen on, contains the text: "killed on workers"
`;

/** The outcome of a fault that could not be tried to its end. */
const brokenBy = ({ message }: Error): FaultOutcome => ({
  ...{ happened: '', acknowledged: 0, lost: 0, rejected: 0, repeats: 0, changes: 0 },
  violations: [message],
});

/** @returns the exit status: 0 if everything was as promised, 1 otherwise, 2 for wrong arguments */
const main = async (): Promise<number> => {
  const { values } = parseArgs({
    options: {
      short: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const lines: FaultLine[] = [];
  for (const fault of faults)
    for (const deployment of values.short ? fault.short : fault.deployments) {
      if (!`${fault.name} on ${deployment}`.includes(values.only)) continue;
      const start = performance.now();
      const obstacle = fault.obstacle?.() ?? null;
      const outcome = obstacle === null ? await tryFault(fault, deployment, values.short).catch(brokenBy) : null;
      const line = { name: fault.name, deployment, obstacle, outcome, seconds: (performance.now() - start) / 1000 };
      lines.push(line);
      console.log(faultTable([line]).at(-1));
      for (const sentence of outcome?.violations ?? []) console.log(`  ${sentence}`);
    }
  console.log(`\n${faultTable(lines).join('\n')}`);
  return lines.some(({ outcome }) => outcome && outcome.violations.length > 0) ? 1 : 0;
};

process.exit(
  await main().catch((error: Error) => {
    console.error(error.stack);
    console.error(usage);
    return 2;
  }),
);
