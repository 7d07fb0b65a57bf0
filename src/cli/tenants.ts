import type { Command } from 'commander';
import { tenantView } from '../administration/views.ts';
import { modules } from '../core/resource/modules.ts';
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
import { type Cli, collect, type JsonOption, withJson } from './cli.ts';
import { type CommandOutput, print, table } from './output.ts';

interface CreateTenantOptions extends JsonOption {
  readonly name?: string;
  readonly host: readonly string[];
  readonly modules: string;
  readonly timeZone: string;
  readonly rateLimit?: string;
  readonly sandbox?: boolean;
}

interface UpdateTenantOptions extends JsonOption {
  readonly name?: string;
  readonly addHost: readonly string[];
  readonly removeHost: readonly string[];
  readonly modules?: string;
  readonly timeZone?: string;
  readonly rateLimit?: string;
}

/** Says which of the added host names no certificate of the development authority covers. */
const noteUncovered = (output: CommandOutput, hosts: readonly string[], config: Config): void => {
  if (authorityFile(config) === null) return;
  for (const host of hosts.filter(host => !isCovered(host, config.baseDomain)))
    output.note(
      `${host} is not <label>.${config.baseDomain}: clients reject the development certificate for it; set TLS_CERT and TLS_KEY`,
    );
};

const parseRateLimit = (text: string): number | null => (text === 'default' ? null : parseCount(text));

/** Adds the commands `tenant update`, `tenant disable` and `tenant enable`. */
const addChangingCommands = (group: Command, cli: Cli): void => {
  const change = (operation: string, slug: string, changes: TenantChanges, options: JsonOption, line: string) =>
    cli.withDatabase(async (database, config) => {
      const { baseDomain } = config;
      const tenant = await requireTenant(database, slug);
      const act = { operation, tenant: slug };
      await enter(database, act, () => updateTenant(database, tenant, changes, baseDomain));
      const entry = (await findTenantEntry(database, tenant.id)) as TenantEntry;
      const output = cli.output(options);
      print(output, tenantView(entry, baseDomain), [line]);
      noteUncovered(output, changes.addHosts ?? [], config);
    });

  withJson(group.command('update'))
    .description('Changes a tenant; what is not given stays as it is. Takes effect within a second.')
    .argument('<slug>', 'slug of the tenant')
    .option('--name <name>', 'display name')
    .option('--add-host <host>', 'one more host name; may be repeated', collect, [])
    .option('--remove-host <host>', 'a host name that no longer belongs to it; may be repeated', collect, [])
    .option('--modules <list>', `all, none or some of ${modules.join(',')}`)
    .option('--time-zone <zone>', 'IANA time zone of dates without an offset')
    .option('--rate-limit <requests>', "requests per period of each API user, or default: the server's RATE_LIMIT")
    .action(async (slug: string, options: UpdateTenantOptions) => {
      const { name, modules, timeZone, rateLimit } = options;
      const changes = {
        name: name === undefined ? undefined : parseName(name),
        modules: modules === undefined ? undefined : parseModules(modules),
        timeZone: timeZone === undefined ? undefined : parseTimeZone(timeZone),
        rateLimit: rateLimit === undefined ? undefined : parseRateLimit(rateLimit),
        addHosts: [...new Set(options.addHost.map(readHostName))],
        removeHosts: [...new Set(options.removeHost.map(readHostName))],
      };
      if (
        Object.values(changes).every(value => value === undefined || (Array.isArray(value) && value.length === 0)) &&
        modules === undefined
      )
        throw new InputError('Nothing to change: name an option; --help lists them');
      await change('tenants_update', slug, changes, options, `Tenant ${slug} was changed`);
    });
  withJson(group.command('disable'))
    .description('Rejects all requests of a tenant, whose data are kept, within a second (403 tenant_disabled).')
    .argument('<slug>', 'slug of the tenant')
    .action((slug: string, options: JsonOption) =>
      change('tenants_disable', slug, { active: false }, options, `Tenant ${slug} is disabled`),
    );
  withJson(group.command('enable'))
    .description('Serves a disabled tenant again.')
    .argument('<slug>', 'slug of the tenant')
    .action((slug: string, options: JsonOption) =>
      change('tenants_enable', slug, { active: true }, options, `Tenant ${slug} is enabled`),
    );
};

const addCreate = (group: Command, cli: Cli): void => {
  withJson(group.command('create'))
    .description('Creates a tenant with its forms, predefined attributes, a language and a wage profile.')
    .argument('<slug>', 'first label of its host name; for example acme-events')
    .option('--name <name>', 'display name (default: the slug)')
    .option('--host <host>', 'an additional host name; may be repeated', collect, [])
    .option('--modules <list>', `all, none or some of ${modules.join(',')}`, 'all')
    .option('--time-zone <zone>', 'IANA time zone of dates without an offset', 'Europe/Berlin')
    .option('--rate-limit <requests>', "requests per period of each API user (default: the server's RATE_LIMIT)")
    .option(
      '--sandbox',
      'for testing an integration: with demo data, a clock to move, and an inbox that takes all webhooks',
    )
    .action(async (slug: string, options: CreateTenantOptions) => {
      const wanted = {
        slug: parseSlug(slug),
        name: parseName(options.name ?? slug),
        hosts: [...new Set(options.host.map(readHostName))],
        modules: parseModules(options.modules),
        timeZone: parseTimeZone(options.timeZone),
        rateLimit: options.rateLimit === undefined ? null : parseCount(options.rateLimit),
        sandbox: options.sandbox ?? false,
      };
      await cli.withDatabase(async (database, config) => {
        const { baseDomain, files } = config;
        const act = { operation: 'tenants_create', target: wanted.slug };
        const tenant = await enter(database, act, () => createTenant(database, wanted, baseDomain));
        const demo = wanted.sandbox ? await fillDemo(database, { size: 'small', slug: tenant.slug, baseDomain }) : null;
        if (demo) await fillDemoFiles(database, await createFiles(files), demo);
        const shown = tenantView({ tenant, hosts: wanted.hosts, active: true }, baseDomain);
        const output = cli.output(options);
        print(output, shown, [`Tenant ${tenant.slug} is available at ${shown.hosts.join(', ')}`]);
        noteUncovered(output, wanted.hosts, config);
        const next = demo
          ? `token issue ${tenant.slug} ${demo.apiUser.name}`
          : `api-user create ${tenant.slug} "<name>"`;
        output.note(`Next: npm run --silent staffing -- ${next}`);
      });
    });
};

const addReset = (group: Command, cli: Cli): void => {
  withJson(group.command('reset'))
    .description(
      'Brings a sandbox back to its first state. API users and tokens stay valid; cursors of GET /changes expire.',
    )
    .argument('<slug>', 'slug of the sandbox')
    .action(async (slug: string, options: JsonOption) => {
      await cli.withDatabase(async (database, { files }) => {
        const tenant = await requireTenant(database, slug);
        const act = { operation: 'tenants_reset', tenant: slug };
        const storage = await createFiles(files);
        await enter(database, act, () => resetSandbox(database, tenant, storage));
        print(cli.output(options), { slug, reset: true }, [`Sandbox ${slug} is as new`]);
      });
    });
};

const addList = (group: Command, cli: Cli): void => {
  withJson(group.command('list'))
    .description('Lists all tenants, ordered by slug.')
    .action(async (options: JsonOption) => {
      await cli.withDatabase(async (database, { baseDomain }) => {
        const entries = (await listTenants(database)).map(entry => tenantView(entry, baseDomain));
        print(
          cli.output(options),
          entries,
          table(
            ['slug', 'name', 'hosts', 'time zone', 'modules', 'active'],
            entries.map(entry => [
              entry.slug,
              entry.name,
              entry.hosts.join(' '),
              entry.time_zone,
              entry.modules.length === modules.length ? 'all' : entry.modules.join(',') || 'none',
              entry.active ? 'yes' : 'no',
            ]),
          ),
        );
      });
    });
};

/** Adds the commands of the group `tenant`. */
export const addTenantCommands = (program: Command, cli: Cli): void => {
  const group = program
    .command('tenant')
    .description('Manages the tenants of this installation, each with its own host name.');

  addCreate(group, cli);
  addChangingCommands(group, cli);
  addReset(group, cli);
  addList(group, cli);
};
