import type { Command } from 'commander';
import { type ApiUser, createApiUser, listApiUsers } from '../tenancy/api-users.ts';
import { requireTenant } from '../tenancy/directory.ts';
import { parseName } from '../tenancy/names.ts';
import { type Cli, withJson } from './cli.ts';
import { print, shortTime, table } from './output.ts';

const show = (user: ApiUser, tenant: string) => ({
  id: user.id,
  tenant,
  name: user.name,
  read_only: user.readOnly,
  active: user.active,
  created_at: user.createdAt.toISOString(),
});

/** Adds the commands `api-user create` and `api-user list`. */
export const addApiUserCommands = (program: Command, cli: Cli): void => {
  const group = program.command('api-user').description("Manages the users of a tenant's API.");

  withJson(group.command('create'))
    .description('Creates an API user. It needs a token to use the API.')
    .argument('<tenant>', 'slug of the tenant')
    .argument('<name>', 'name, unique within the tenant')
    .option('--read-only', 'reject its POST, PUT and DELETE requests')
    .action(async (slug: string, name: string, options: { readonly readOnly?: boolean; readonly json?: boolean }) => {
      const wanted = { name: parseName(name), readOnly: options.readOnly ?? false };
      await cli.withDatabase(async database => {
        const user = await createApiUser(database, await requireTenant(database, slug), wanted);
        const output = cli.output(options);
        const kind = user.readOnly ? 'Read-only API user' : 'API user';
        print(output, show(user, slug), [`${kind} "${user.name}" of tenant ${slug} has the id ${user.id}`]);
        output.note(`Next: npm run --silent staffing -- token issue ${slug} "${user.name}"`);
      });
    });

  withJson(group.command('list'))
    .description('Lists the API users of a tenant.')
    .argument('<tenant>', 'slug of the tenant')
    .action(async (slug: string, options: { readonly json?: boolean }) => {
      await cli.withDatabase(async database => {
        const users = await listApiUsers(database, await requireTenant(database, slug));
        const entries = users.map(user => show(user, slug));
        print(
          cli.output(options),
          entries,
          table(
            ['id', 'name', 'access', 'active', 'created'],
            entries.map(entry => [
              String(entry.id),
              entry.name,
              entry.read_only ? 'read' : 'read, write',
              entry.active ? 'yes' : 'no',
              shortTime(entry.created_at),
            ]),
          ),
        );
      });
    });
};
