import { run } from './run.ts';

process.exitCode = await run(process.argv.slice(2), {
  environment: process.env,
  out: line => process.stdout.write(`${line}\n`),
  note: line => process.stderr.write(`${line}\n`),
});
