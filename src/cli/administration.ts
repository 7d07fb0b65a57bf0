import type { Command } from 'commander';
import { administratorView } from '../administration/views.ts';
import { readLog } from '../tenancy/administration-log.ts';
import {
  issueAdministrationToken,
  listAdministrationTokens,
  revokeAdministrationToken,
} from '../tenancy/administrators.ts';
import { requireTenant } from '../tenancy/directory.ts';
import { InputError, parseCount, parseDuration, parseName } from '../tenancy/names.ts';
import { enter } from './acts.ts';
import { type Cli, type JsonOption, withJson } from './cli.ts';
import { print, shortTime, table } from './output.ts';

const addIssue = (group: Command, cli: Cli): void => {
  withJson(group.command('issue'))
    .description('Issues a token and prints it, on the last line. It is not stored and cannot be shown again.')
    .argument('<name>', 'name of the administrator, for the administration log')
    .option('--tenant <slug>', 'the only tenant that it administers (default: all tenants)')
    .option('--expires <duration>', 'lifetime of the token: a number and m, h, d, w or y', '90d')
    .action(async (given: string, options: JsonOption & { readonly tenant?: string; readonly expires: string }) => {
      const name = parseName(given);
      const seconds = parseDuration(options.expires);
      await cli.withDatabase(async database => {
        const tenant = options.tenant === undefined ? null : await requireTenant(database, options.tenant);
        const act = { operation: 'administrationTokens_issue', tenant: tenant?.slug ?? null, target: name };
        const issue = () => issueAdministrationToken(database, { name, tenant, seconds });
        const { token, administrator } = await enter(database, act, issue);
        const expires = administrator.expiresAt.toISOString();
        const output = cli.output(options);
        const of = administrator.tenant === null ? 'all tenants' : `tenant ${administrator.tenant}`;
        output.note(
          `Administration token ${administrator.id} of "${name}" (${of}), valid until ${shortTime(expires)}:`,
        );
        const value = { token, id: administrator.id, name, tenant: administrator.tenant, expires_at: expires };
        print(output, value, [token]);
      });
    });
};

const addList = (group: Command, cli: Cli): void => {
  withJson(group.command('list'))
    .description('Lists tokens by id, oldest first; never the tokens themselves.')
    .action(async (options: JsonOption) => {
      await cli.withDatabase(async database => {
        const shown = (await listAdministrationTokens(database)).map(administratorView);
        print(
          cli.output(options),
          shown,
          table(
            ['id', 'name', 'tenant', 'created', 'expires', 'revoked', 'last used'],
            shown.map(entry => [
              entry.id,
              entry.name,
              entry.tenant ?? 'all',
              shortTime(entry.created_at),
              shortTime(entry.expires_at),
              shortTime(entry.revoked_at),
              shortTime(entry.last_used_at),
            ]),
          ),
        );
      });
    });
};

const addRevoke = (group: Command, cli: Cli): void => {
  withJson(group.command('revoke'))
    .description('Revokes a token permanently and at once.')
    .argument('<id>', 'id of the token, as shown by "administration-token list"')
    .action(async (id: string, options: JsonOption) => {
      await cli.withDatabase(async database => {
        const act = { operation: 'administrationTokens_revoke', target: id };
        const revoked = await enter(database, act, async () => {
          const found = await revokeAdministrationToken(database, id);
          if (found) return found;
          throw new InputError(
            `There is no administration token "${id}"; "administration-token list" shows the existing ones`,
          );
        });
        const at = revoked.revokedAt.toISOString();
        print(cli.output(options), { id, revoked_at: at }, [
          `Administration token ${id} was revoked at ${shortTime(at)}`,
        ]);
      });
    });
};

const addLog = (program: Command, cli: Cli): void => {
  withJson(program.command('administration-log'))
    .description('Lists what administrators have done, newest first.')
    .option('--limit <number>', 'maximum number of entries', '100')
    .action(async (options: JsonOption & { readonly limit: string }) => {
      const limit = parseCount(options.limit);
      await cli.withDatabase(async database => {
        const shown = await readLog(database, { limit });
        print(
          cli.output(options),
          shown,
          table(
            ['at', 'administrator', 'operation', 'tenant', 'target', 'status', 'address'],
            shown.map(entry => [
              shortTime(entry.at),
              entry.administrator,
              entry.operation,
              entry.tenant ?? '-',
              entry.target ?? '-',
              entry.status === null ? '-' : String(entry.status),
              entry.address ?? '-',
            ]),
          ),
        );
      });
    });
};

/** Adds the commands `administration-token issue`, `list` and `revoke`, and `administration-log`. */
export const addAdministrationCommands = (program: Command, cli: Cli): void => {
  const group = program
    .command('administration-token')
    .description('Manages the tokens of the administration page and the administration API.');

  addIssue(group, cli);
  addList(group, cli);
  addRevoke(group, cli);
  addLog(program, cli);
};
