/**
 * `npm run bench [workload…] [--json FILE] [--short]`: the benchmark.
 * A workload that is a program of its own is in the table below and gets the remaining arguments; all others compare the server with
 * the floors: see compare.ts.
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

const args = process.argv.slice(2);
const own = programs[args[0] ?? ''];
const program = own ? await own() : (await import('./compare.ts')).compare;
process.exit(await program(own ? args.slice(1) : args));
