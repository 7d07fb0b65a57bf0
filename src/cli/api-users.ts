import { parseCategory, parseScope, unreadable } from '../administration/access.ts';
import { apiUserView } from '../administration/views.ts';
import type { Tenant } from '../core/principal.ts';
import { type Category, categories } from '../core/resource/categories.ts';
import type { Database } from '../db/open.ts';
import { changeApiUser } from '../domain/provision/change-api-user.ts';
import { type ApiUser, createApiUser, findApiUser, listApiUsers } from '../tenancy/api-users.ts';
import { requireTenant } from '../tenancy/directory.ts';
import { InputError, parseUserName } from '../tenancy/names.ts';
import { enter } from './acts.ts';
import { type CliCommand, collect } from './cli.ts';
import { type CommandOutput, print, printTable, shortTime } from './output.ts';

interface AccessOptions {
  readonly scope: readonly string[];
  readonly hide: readonly Category[];
}

interface UpdateApiUserOptions extends AccessOptions {
  readonly allScopes?: boolean;
  readonly hideNothing?: boolean;
}

const scopeText = 'what it may do: <resource>:read or <resource>:write, * for all resources; may be repeated';
const hideText = `a category of fields that do not exist for it: ${categories.join(', ')}; may be repeated`;

const warn = (output: CommandOutput, { scopes }: ApiUser): void => {
  for (const name of unreadable(scopes)) output.note(`${name}:write has no effect without ${name}:read.`);
};

const accessText = ({ read_only, scopes, hidden }: ReturnType<typeof apiUserView>): string => {
  const access = scopes.length > 0 ? scopes.join(', ') : read_only ? 'read' : 'read, write';
  return hidden.length > 0 ? `${access}; without ${hidden.join(', ')}` : access;
};

/** Changes an API user that has just been found. @throws InputError if it is no longer there */
const change = async (
  database: Database,
  tenant: Tenant,
  { id, name }: ApiUser,
  wanted: Parameters<typeof changeApiUser>[3],
): Promise<ApiUser> => {
  const user = await changeApiUser(database, tenant, id, wanted);
  if (!user) throw new InputError(`Tenant ${tenant.slug} has no API user "${name}" any more`);
  return user;
};

const addCreate = (group: CliCommand): void => {
  group
    .task('create', 'Creates an API user. It needs a token to use the API.')
    .argument('<tenant>', 'slug of the tenant')
    .argument('<name>', 'name, unique within the tenant', parseUserName)
    .option('--read-only', 'reject its POST, PUT and DELETE requests')
    .option('--scope <scope>', `${scopeText} (default: everything)`, collect(parseScope), [])
    .option('--hide <category>', hideText, collect(parseCategory), [])
    .onDatabase(
      async ({ database, output }, slug: string, name: string, options: AccessOptions & { readOnly?: true }) => {
        const wanted = { name, readOnly: options.readOnly ?? false, scopes: options.scope, hidden: options.hide };
        const tenant = await requireTenant(database, slug);
        const act = { operation: 'apiUsers_create', tenant: slug, target: name };
        const user = await enter(database, act, () => createApiUser(database, tenant, wanted));
        const kind = user.readOnly ? 'Read-only API user' : 'API user';
        print(output, apiUserView(user, tenant), [`${kind} "${user.name}" of tenant ${slug} has the id ${user.id}`]);
        warn(output, user);
        output.note(`Next: npm run --silent staffing -- token issue ${slug} "${user.name}"`);
      },
    );
};

const addUpdate = (group: CliCommand): void => {
  group
    .task('update', 'Changes what an API user may do and see. Its requests are subject to it within a second.')
    .argument('<tenant>', 'slug of the tenant')
    .argument('<name>', 'name or id of the API user')
    .option('--scope <scope>', `${scopeText}; replaces those that it has`, collect(parseScope), [])
    .option('--all-scopes', 'allow everything again')
    .option('--hide <category>', `${hideText}; replaces those that are hidden`, collect(parseCategory), [])
    .option('--hide-nothing', 'hide no fields any more')
    .hook('preAction', command => {
      const { scope, hide, allScopes, hideNothing } = command.opts<UpdateApiUserOptions>();
      if (allScopes && scope.length > 0) throw new InputError('Use either --scope or --all-scopes');
      if (hideNothing && hide.length > 0) throw new InputError('Use either --hide or --hide-nothing');
    })
    .onDatabase(async ({ database, output }, slug: string, name: string, options: UpdateApiUserOptions) => {
      const { scope: scopes, hide: hidden, allScopes, hideNothing } = options;
      const tenant = await requireTenant(database, slug);
      const known = await findApiUser(database, tenant, name);
      const wanted = {
        ...((allScopes || scopes.length > 0) && { scopes }),
        ...((hideNothing || hidden.length > 0) && { hidden }),
      };
      const act = { operation: 'apiUsers_update', tenant: slug, target: known.id };
      const user = await enter(database, act, () => change(database, tenant, known, wanted));
      const shown = apiUserView(user, tenant);
      print(output, shown, [`API user "${user.name}" of tenant ${slug} may: ${accessText(shown)}`]);
      warn(output, user);
    });
};

/** Adds `disable` and `enable`. */
const addSwitches = (group: CliCommand): void => {
  const addSwitch = (name: 'disable' | 'enable', description: string): void => {
    group
      .task(name, description)
      .argument('<tenant>', 'slug of the tenant')
      .argument('<name>', 'name or id of the API user')
      .onDatabase(async ({ database, output }, slug: string, nameOrId: string) => {
        const tenant = await requireTenant(database, slug);
        const known = await findApiUser(database, tenant, nameOrId);
        const act = { operation: `apiUsers_${name}`, tenant: slug, target: known.id };
        const wanted = { active: name === 'enable' };
        const user = await enter(database, act, () => change(database, tenant, known, wanted));
        print(output, apiUserView(user, tenant), [`API user "${user.name}" of tenant ${slug} is ${name}d`]);
      });
  };
  addSwitch('disable', 'Rejects all tokens of an API user, on every instance within a second.');
  addSwitch('enable', 'Accepts the tokens of a disabled API user again.');
};

const addList = (group: CliCommand): void => {
  group
    .task('list', 'Lists the API users of a tenant.')
    .argument('<tenant>', 'slug of the tenant')
    .onDatabase(async ({ database, output }, slug: string) => {
      const tenant = await requireTenant(database, slug);
      const users = (await listApiUsers(database, tenant)).map(user => apiUserView(user, tenant));
      printTable(output, users, {
        id: user => String(user.id),
        name: user => user.name,
        access: accessText,
        active: user => (user.active ? 'yes' : 'no'),
        created: user => shortTime(user.created_at),
      });
    });
};

/** Adds the commands `api-user create`, `update`, `disable`, `enable` and `list`. */
export const addApiUserCommands = (program: CliCommand): void => {
  const group = program.command('api-user').description("Manages the users of a tenant's API.");

  addCreate(group);
  addUpdate(group);
  addSwitches(group);
  addList(group);
};
