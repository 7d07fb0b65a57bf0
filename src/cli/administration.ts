import { Option } from 'commander';
import { administratorView } from '../administration/views.ts';
import { readLog } from '../tenancy/administration-log.ts';
import {
  issueAdministrationToken,
  listAdministrationTokens,
  revokeAdministrationToken,
} from '../tenancy/administrators.ts';
import { requireTenant } from '../tenancy/directory.ts';
import { InputError, parseCount, parseName } from '../tenancy/names.ts';
import { enter } from './acts.ts';
import { type CliCommand, lifetimeOption } from './cli.ts';
import { print, printTable, shortTime } from './output.ts';

const addIssue = (group: CliCommand): void => {
  group
    .task('issue', 'Issues a token and prints it, on the last line. It is not stored and cannot be shown again.')
    .argument('<name>', 'name of the administrator, for the administration log', parseName)
    .option('--tenant <slug>', 'the only tenant that it administers (default: all tenants)')
    .addOption(lifetimeOption('90d'))
    .onDatabase(async ({ database, output }, name: string, options: { tenant?: string; expires: number }) => {
      const tenant = options.tenant === undefined ? null : await requireTenant(database, options.tenant);
      const act = { operation: 'administrationTokens_issue', tenant: tenant?.slug ?? null, target: name };
      const issue = () => issueAdministrationToken(database, { name, tenant, seconds: options.expires });
      const { token, administrator } = await enter(database, act, issue);
      const expires = administrator.expiresAt.toISOString();
      const of = administrator.tenant === null ? 'all tenants' : `tenant ${administrator.tenant}`;
      output.note(`Administration token ${administrator.id} of "${name}" (${of}), valid until ${shortTime(expires)}:`);
      const value = { token, id: administrator.id, name, tenant: administrator.tenant, expires_at: expires };
      print(output, value, [token]);
    });
};

const addList = (group: CliCommand): void => {
  group
    .task('list', 'Lists tokens by id, oldest first; never the tokens themselves.')
    .onDatabase(async ({ database, output }) =>
      printTable(output, (await listAdministrationTokens(database)).map(administratorView), {
        id: entry => entry.id,
        name: entry => entry.name,
        tenant: entry => entry.tenant ?? 'all',
        created: entry => shortTime(entry.created_at),
        expires: entry => shortTime(entry.expires_at),
        revoked: entry => shortTime(entry.revoked_at),
        'last used': entry => shortTime(entry.last_used_at),
      }),
    );
};

const addRevoke = (group: CliCommand): void => {
  group
    .task('revoke', 'Revokes a token permanently and at once.')
    .argument('<id>', 'id of the token, as shown by "administration-token list"')
    .onDatabase(async ({ database, output }, id: string) => {
      const act = { operation: 'administrationTokens_revoke', target: id };
      const revoked = await enter(database, act, async () => {
        const found = await revokeAdministrationToken(database, id);
        if (found) return found;
        throw new InputError(
          `There is no administration token "${id}"; "administration-token list" shows the existing ones`,
        );
      });
      const at = revoked.revokedAt.toISOString();
      print(output, { id, revoked_at: at }, [`Administration token ${id} was revoked at ${shortTime(at)}`]);
    });
};

const addLog = (program: CliCommand): void => {
  program
    .task('administration-log', 'Lists what administrators have done, newest first.')
    .addOption(new Option('--limit <number>', 'maximum number of entries').default(100, '"100"').argParser(parseCount))
    .onDatabase(async ({ database, output }, { limit }: { limit: number }) =>
      printTable(output, await readLog(database, { limit }), {
        at: entry => shortTime(entry.at),
        administrator: entry => entry.administrator,
        operation: entry => entry.operation,
        tenant: entry => entry.tenant ?? '-',
        target: entry => entry.target ?? '-',
        status: entry => String(entry.status ?? '-'),
        address: entry => entry.address ?? '-',
      }),
    );
};

/** Adds the commands `administration-token issue`, `list` and `revoke`, and `administration-log`. */
export const addAdministrationCommands = (program: CliCommand): void => {
  const group = program
    .command('administration-token')
    .description('Manages the tokens of the administration page and the administration API.');

  addIssue(group);
  addList(group);
  addRevoke(group);
  addLog(program);
};
