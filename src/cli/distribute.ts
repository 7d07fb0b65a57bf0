import { InputError } from '../tenancy/names.ts';
import type { CliCommand } from './cli.ts';
import { print } from './output.ts';

/** Adds the command `distribute`. */
export const addDistributeCommand = (program: CliCommand): void => {
  program
    .task(
      'distribute',
      'Distributes the tables of tenants over the nodes of a Citus cluster, while no instance runs. Can be run again after it was interrupted.',
    )
    .option('--dry-run', 'print the steps without taking them')
    .onAnyDatabase(async ({ database, output }, { dryRun = false }: { dryRun?: boolean }) => {
      if (database.kind === 'embedded') throw new InputError('The embedded database cannot be distributed');
      const steps: string[] = [];
      const count = await database.distribute({
        dryRun,
        onStep: what => {
          steps.push(what);
          output.note(what);
        },
      });
      const counted = `${count} ${count === 1 ? 'step' : 'steps'}`;
      const summary = dryRun ? `To distribute the database: ${counted}` : `The database is distributed: ${counted}`;
      print(output, { steps, dry_run: dryRun }, [count === 0 ? 'The database is distributed' : summary]);
    });
};
