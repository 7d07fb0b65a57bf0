import type { Command } from 'commander';
import { issuedTokenView, tokenView } from '../administration/views.ts';
import { loadKeys } from '../server/load-keys.ts';
import { findApiUser } from '../tenancy/api-users.ts';
import { requireTenant } from '../tenancy/directory.ts';
import { InputError, parseDuration } from '../tenancy/names.ts';
import { listTokens, revokeToken } from '../tenancy/token-register.ts';
import { createTokens } from '../tenancy/tokens.ts';
import { enter } from './acts.ts';
import { type Cli, type JsonOption, withJson } from './cli.ts';
import { print, shortTime, table } from './output.ts';

/** Adds the commands `token issue`, `token list` and `token revoke`. */
export const addTokenCommands = (program: Command, cli: Cli): void => {
  const group = program.command('token').description('Manages the access tokens of API users.');

  withJson(group.command('issue'))
    .description('Issues a token and prints it, on the last line. It is not stored and cannot be shown again.')
    .argument('<tenant>', 'slug of the tenant')
    .argument('<api-user>', 'name or id of the API user')
    .option('--expires <duration>', 'lifetime of the token: a number and m, h, d, w or y', '1y')
    .action(async (slug: string, nameOrId: string, options: JsonOption & { readonly expires: string }) => {
      const seconds = parseDuration(options.expires);
      await cli.withDatabase(async (database, config) => {
        const tenant = await requireTenant(database, slug);
        const user = await findApiUser(database, tenant, nameOrId);
        const tokens = createTokens({ database, keys: loadKeys(config), issuer: config.jwt.issuer });
        const act = { operation: 'apiUsers_issueToken', tenant: slug, target: user.id };
        const issued = await enter(database, act, () => tokens.issueToken(tenant, user.id, seconds));
        const expires = issued.expiresAt.toISOString();
        const output = cli.output(options);
        output.note(`Token ${issued.tokenId} of "${user.name}" (${slug}), valid until ${shortTime(expires)}:`);
        print(output, issuedTokenView(issued, user, tenant), [issued.token]);
      });
    });

  withJson(group.command('list'))
    .description('Lists tokens by id, oldest first; never the tokens themselves.')
    .argument('[tenant]', 'slug of a tenant (default: all)')
    .action(async (slug: string | undefined, options: JsonOption) => {
      await cli.withDatabase(async database => {
        const entries = await listTokens(database, slug === undefined ? null : await requireTenant(database, slug));
        const shown = entries.map(tokenView);
        print(
          cli.output(options),
          shown,
          table(
            ['jti', 'tenant', 'api user', 'issued', 'expires', 'revoked', 'last used'],
            shown.map(entry => [
              entry.jti,
              entry.tenant,
              entry.api_user,
              shortTime(entry.issued_at),
              shortTime(entry.expires_at),
              shortTime(entry.revoked_at),
              shortTime(entry.last_used_at),
            ]),
          ),
        );
      });
    });

  withJson(group.command('revoke'))
    .description('Revokes a token permanently, on every instance within a second.')
    .argument('<jti>', 'id of the token, as shown by "token list"')
    .action(async (tokenId: string, options: JsonOption) => {
      await cli.withDatabase(async database => {
        const act = { operation: 'tokens_revoke', target: tokenId };
        const revoked = await enter(database, act, async () => {
          const found = await revokeToken(database, tokenId);
          if (found) return found;
          throw new InputError(`There is no token "${tokenId}"; "token list" shows the existing ones`);
        });
        const at = revoked.revokedAt.toISOString();
        const value = { jti: tokenId, tenant: revoked.tenant.slug, revoked_at: at };
        print(cli.output(options), value, [
          `Token ${tokenId} of tenant ${value.tenant} was revoked at ${shortTime(at)}`,
        ]);
      });
    });
};
