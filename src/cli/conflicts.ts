import { rebuildConflicts } from '../domain/conflicts/rebuild.ts';
import { requireTenant } from '../tenancy/directory.ts';
import type { CliCommand } from './cli.ts';
import { print } from './output.ts';

/** Adds the command `conflicts rebuild`. */
export const addConflictCommands = (program: CliCommand): void => {
  const group = program.command('conflicts').description('Manages what stands against plans (GET /conflicts).');
  group
    .task(
      'rebuild',
      'Judges all work of a tenant again. Changes nothing if its conflicts are right; what it changes, GET /changes says.',
    )
    .argument('<tenant>', 'slug of the tenant')
    .onDatabase(async ({ database, output }, slug: string) => {
      const tenant = await requireTenant(database, slug);
      const changes = await rebuildConflicts(database.forTenant(tenant));
      const line = changes === 0 ? 'All conflicts were right' : `${changes} conflicts were added, changed or removed`;
      print(output, { tenant: slug, changes }, [line]);
    });
};
