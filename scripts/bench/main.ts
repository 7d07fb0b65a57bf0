/**
 * A workload that is a program of its own, and gets the remaining arguments.
 * All others compare the server with the floors: see compare.ts.
 */
type Program = (args: readonly string[]) => Promise<number>;

const programs: Readonly<Record<string, () => Promise<Program>>> = {
  import: async () => (await import('./import.ts')).measureImport,
  slowest: async () => (await import('./slowest/report.ts')).reportSlowest,
  growth: async () => (await import('./growth.ts')).reportGrowth,
  listing: async () => (await import('./listing.ts')).reportListings,
  workers: async () => (await import('./workers.ts')).reportWorkers,
  soak: async () => (await import('./soak.ts')).reportSoak,
  journal: async () => (await import('./journal.ts')).reportJournal,
  rules: async () => (await import('./rules.ts')).reportRules,
  size: async () => (await import('./size.ts')).reportSize,
};

const usage = `npm run bench -- [workload...] [--json FILE] [--against CHECKOUT] [--short]
npm run bench -- ${Object.keys(programs).join('|')} [its arguments]

Compares the server with two floors, bare servers that return the same bytes, or runs the benchmark of that name: docs/speed.md has all.

  workload            only these of the comparison
  --json <file>       writes the measured values into the file, too
  --against <folder>  compares with the build of another checkout instead
  --short             little data, one round; also of growth, rules, size, soak and workers
`;

const args = process.argv.slice(2);
if (args.includes('--help')) {
  console.log(usage);
  process.exit(0);
}
const own = programs[args[0] ?? ''];
const program = own ? await own() : (await import('./compare.ts')).compare;
process.exit(await program(own ? args.slice(1) : args));
