import type { Command } from 'commander';
import type { Tenant } from '../core/principal.ts';
import { modules } from '../core/resource/modules.ts';
import { createTenant } from '../domain/provision/provision.ts';
import { listTenants } from '../tenancy/directory.ts';
import { parseCount, parseModules, parseName, parseSlug, parseTimeZone, readHostName } from '../tenancy/names.ts';
import { type Cli, collect, withJson } from './cli.ts';
import { print, table } from './output.ts';

const show = (tenant: Tenant, hosts: readonly string[], active: boolean) => ({
  id: tenant.id,
  slug: tenant.slug,
  name: tenant.name,
  hosts,
  time_zone: tenant.timeZone,
  modules: [...tenant.modules],
  rate_limit: tenant.rateLimit,
  active,
});

const hostsOf = ({ slug }: Tenant, baseDomain: string, registered: readonly string[]): readonly string[] => [
  `${slug}.${baseDomain}`,
  ...registered,
];

interface CreateOptions {
  readonly name?: string;
  readonly host: readonly string[];
  readonly modules: string;
  readonly timeZone: string;
  readonly rateLimit?: string;
  readonly json?: boolean;
}

/** Adds the commands `tenant create` and `tenant list`. */
export const addTenantCommands = (program: Command, cli: Cli): void => {
  const group = program
    .command('tenant')
    .description('Manages the tenants of this installation, each with its own host name.');

  withJson(group.command('create'))
    .description('Creates a tenant with its forms, predefined attributes, a language and a wage profile.')
    .argument('<slug>', 'first label of its host name; for example acme-events')
    .option('--name <name>', 'display name (default: the slug)')
    .option('--host <host>', 'an additional host name; may be repeated', collect, [])
    .option('--modules <list>', `all, none or some of ${modules.join(',')}`, 'all')
    .option('--time-zone <zone>', 'IANA time zone of dates without an offset', 'Europe/Berlin')
    .option('--rate-limit <requests>', "requests per period of each API user (default: the server's RATE_LIMIT)")
    .action(async (slug: string, options: CreateOptions) => {
      const wanted = {
        slug: parseSlug(slug),
        name: parseName(options.name ?? slug),
        hosts: [...new Set(options.host.map(readHostName))],
        modules: parseModules(options.modules),
        timeZone: parseTimeZone(options.timeZone),
        rateLimit: options.rateLimit === undefined ? null : parseCount(options.rateLimit),
      };
      await cli.withDatabase(async (database, { baseDomain }) => {
        const tenant = await createTenant(database, wanted, baseDomain);
        const hosts = hostsOf(tenant, baseDomain, wanted.hosts);
        const output = cli.output(options);
        print(output, show(tenant, hosts, true), [`Tenant ${tenant.slug} is available at ${hosts.join(', ')}`]);
        output.note(`Next: npm run --silent staffing -- api-user create ${tenant.slug} "<name>"`);
      });
    });

  withJson(group.command('list'))
    .description('Lists all tenants, ordered by slug.')
    .action(async (options: { readonly json?: boolean }) => {
      await cli.withDatabase(async (database, { baseDomain }) => {
        const entries = (await listTenants(database)).map(({ tenant, hosts, active }) =>
          show(tenant, hostsOf(tenant, baseDomain, hosts), active),
        );
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
