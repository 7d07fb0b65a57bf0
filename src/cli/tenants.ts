import { Option } from 'commander';
import { tenantView } from '../administration/views.ts';
import { type Module, modules } from '../core/resource/modules.ts';
import { fillDemoFiles } from '../demo/files.ts';
import { fillDemo } from '../demo/fill.ts';
import { resetSandbox } from '../demo/sandbox/reset.ts';
import { createTenant } from '../domain/provision/provision.ts';
import { type TenantChanges, updateTenant } from '../domain/provision/update-tenant.ts';
import { createFiles } from '../files/files.ts';
import type { Config } from '../server/config/config.ts';
import { authorityFile, isCovered } from '../server/tls/certificate.ts';
import { findTenantEntry, listTenants, requireTenant, type TenantEntry } from '../tenancy/directory.ts';
import {
  InputError,
  parseCount,
  parseModules,
  parseName,
  parseSlug,
  parseTimeZone,
  readHostName,
} from '../tenancy/names.ts';
import { enter } from './acts.ts';
import { type CliCommand, collect, type DatabaseContext } from './cli.ts';
import { type CommandOutput, print, printTable } from './output.ts';

interface TenantOptions {
  readonly name?: string;
  readonly modules?: readonly Module[];
  readonly timeZone?: string;
}

interface CreateTenantOptions extends Required<Omit<TenantOptions, 'name'>>, Pick<TenantOptions, 'name'> {
  readonly host: readonly string[];
  readonly rateLimit?: number;
  readonly sandbox?: boolean;
}

interface UpdateTenantOptions extends TenantOptions {
  readonly addHost: readonly string[];
  readonly removeHost: readonly string[];
  readonly rateLimit?: number | 'default';
}

/** Says which of the added host names no certificate of the development authority covers. */
const noteUncovered = (output: CommandOutput, hosts: readonly string[], config: Config): void => {
  if (authorityFile(config) === null) return;
  for (const host of hosts.filter(host => !isCovered(host, config.baseDomain)))
    output.note(
      `${host} is not <label>.${config.baseDomain}: clients reject the development certificate for it; set TLS_CERT and TLS_KEY`,
    );
};

const parseRateLimit = (text: string): number | 'default' => (text === 'default' ? text : parseCount(text));

/** Changes a tenant and prints it. */
const change = async (
  { database, config, output }: DatabaseContext,
  act: { readonly operation: string; readonly tenant: string },
  changes: TenantChanges,
  outcome: string,
): Promise<void> => {
  const { baseDomain } = config;
  const tenant = await requireTenant(database, act.tenant);
  await enter(database, act, () => updateTenant(database, tenant, changes, baseDomain));
  const entry = (await findTenantEntry(database, tenant.id)) as TenantEntry;
  print(output, tenantView(entry, baseDomain), [`Tenant ${act.tenant} ${outcome}`]);
  noteUncovered(output, changes.addHosts ?? [], config);
};

const isGiven = (value: unknown): boolean => value !== undefined && !(Array.isArray(value) && value.length === 0);

const addUpdate = (group: CliCommand): void => {
  group
    .task('update', 'Changes a tenant; what is not given stays as it is. Takes effect within a second.')
    .argument('<slug>', 'slug of the tenant')
    .option('--name <name>', 'display name', parseName)
    .option('--add-host <host>', 'one more host name; may be repeated', collect(readHostName), [])
    .option(
      '--remove-host <host>',
      'a host name that no longer belongs to it; may be repeated',
      collect(readHostName),
      [],
    )
    .option('--modules <list>', `all, none or some of ${modules.join(',')}`, parseModules)
    .option('--time-zone <zone>', 'IANA time zone of dates without an offset', parseTimeZone)
    .option(
      '--rate-limit <requests>',
      "requests per period of each API user, or default: the server's RATE_LIMIT",
      parseRateLimit,
    )
    .hook('preAction', command => {
      const { json: _, modules, ...options } = command.opts();
      if (modules === undefined && !Object.values(options).some(isGiven))
        throw new InputError('Nothing to change: name an option; --help lists them');
    })
    .onDatabase((context, slug: string, options: UpdateTenantOptions) => {
      const { name, modules, timeZone, addHost: addHosts, removeHost: removeHosts } = options;
      const rateLimit = options.rateLimit === 'default' ? null : options.rateLimit;
      const changes = { name, modules, timeZone, rateLimit, addHosts, removeHosts };
      return change(context, { operation: 'tenants_update', tenant: slug }, changes, 'was changed');
    });
};

/** Adds `disable` and `enable`. */
const addSwitches = (group: CliCommand): void => {
  const addSwitch = (name: 'disable' | 'enable', description: string) =>
    group
      .task(name, description)
      .argument('<slug>', 'slug of the tenant')
      .onDatabase((context, tenant: string) =>
        change(context, { operation: `tenants_${name}`, tenant }, { active: name === 'enable' }, `is ${name}d`),
      );
  addSwitch('disable', 'Rejects all requests of a tenant, whose data are kept, within a second (403 tenant_disabled).');
  addSwitch('enable', 'Serves a disabled tenant again.');
};

const addCreate = (group: CliCommand): void => {
  group
    .task('create', 'Creates a tenant with its forms, predefined attributes, a language and a wage profile.')
    .argument('<slug>', 'first label of its host name; for example acme-events', parseSlug)
    .option('--name <name>', 'display name (default: the slug)', parseName)
    .option('--host <host>', 'an additional host name; may be repeated', collect(readHostName), [])
    .addOption(
      new Option('--modules <list>', `all, none or some of ${modules.join(',')}`)
        .default(modules, '"all"')
        .argParser(parseModules),
    )
    .option('--time-zone <zone>', 'IANA time zone of dates without an offset', parseTimeZone, 'Europe/Berlin')
    .option(
      '--rate-limit <requests>',
      "requests per period of each API user (default: the server's RATE_LIMIT)",
      parseCount,
    )
    .option(
      '--sandbox',
      'for testing an integration: with demo data, a clock to move, and an inbox that takes all webhooks',
    )
    .onDatabase(
      async ({ database, config, output }, slug: string, { host: hosts, ...options }: CreateTenantOptions) => {
        const { name = parseName(slug), modules, timeZone, rateLimit = null, sandbox = false } = options;
        const { baseDomain, files } = config;
        const wanted = { slug, name, hosts, modules, timeZone, rateLimit, sandbox };
        const act = { operation: 'tenants_create', target: slug };
        const tenant = await enter(database, act, () => createTenant(database, wanted, baseDomain));
        const demo = sandbox ? await fillDemo(database, { size: 'small', slug, baseDomain }) : null;
        if (demo) await fillDemoFiles(database, await createFiles(files), demo);
        const shown = tenantView({ tenant, hosts, active: true }, baseDomain);
        print(output, shown, [`Tenant ${slug} is available at ${shown.hosts.join(', ')}`]);
        noteUncovered(output, hosts, config);
        const next = demo ? `token issue ${slug} ${demo.apiUser.name}` : `api-user create ${slug} "<name>"`;
        output.note(`Next: npm run --silent staffing -- ${next}`);
      },
    );
};

const addReset = (group: CliCommand): void => {
  group
    .task(
      'reset',
      'Brings a sandbox back to its first state. API users and tokens stay valid; cursors of GET /changes expire.',
    )
    .argument('<slug>', 'slug of the sandbox')
    .onDatabase(async ({ database, config, output }, slug: string) => {
      const tenant = await requireTenant(database, slug);
      const act = { operation: 'tenants_reset', tenant: slug };
      const storage = await createFiles(config.files);
      await enter(database, act, () => resetSandbox(database, tenant, storage));
      print(output, { slug, reset: true }, [`Sandbox ${slug} is as new`]);
    });
};

const addList = (group: CliCommand): void => {
  group.task('list', 'Lists all tenants, ordered by slug.').onDatabase(async ({ database, config, output }) => {
    const entries = (await listTenants(database)).map(entry => tenantView(entry, config.baseDomain));
    printTable(output, entries, {
      slug: entry => entry.slug,
      name: entry => entry.name,
      hosts: entry => entry.hosts.join(' '),
      'time zone': entry => entry.time_zone,
      modules: entry => (entry.modules.length === modules.length ? 'all' : entry.modules.join(',') || 'none'),
      active: entry => (entry.active ? 'yes' : 'no'),
    });
  });
};

/** Adds the commands of the group `tenant`. */
export const addTenantCommands = (program: CliCommand): void => {
  const group = program
    .command('tenant')
    .description('Manages the tenants of this installation, each with its own host name.');

  addCreate(group);
  addUpdate(group);
  addSwitches(group);
  addReset(group);
  addList(group);
};
