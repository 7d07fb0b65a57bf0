import { issuedTokenView, tokenView } from '../administration/views.ts';
import { loadKeys } from '../server/load-keys.ts';
import { findApiUser } from '../tenancy/api-users.ts';
import { requireTenant } from '../tenancy/directory.ts';
import { InputError } from '../tenancy/names.ts';
import { listTokens, revokeToken } from '../tenancy/token-register.ts';
import { createTokens } from '../tenancy/tokens.ts';
import { enter } from './acts.ts';
import { type CliCommand, lifetimeOption } from './cli.ts';
import { print, printTable, shortTime } from './output.ts';

/** Adds the commands `token issue`, `token list` and `token revoke`. */
export const addTokenCommands = (program: CliCommand): void => {
  const group = program.command('token').description('Manages the access tokens of API users.');

  group
    .task('issue', 'Issues a token and prints it, on the last line. It is not stored and cannot be shown again.')
    .argument('<tenant>', 'slug of the tenant')
    .argument('<api-user>', 'name or id of the API user')
    .addOption(lifetimeOption('1y'))
    .onDatabase(async ({ database, config, output }, slug: string, nameOrId: string, options: { expires: number }) => {
      const tenant = await requireTenant(database, slug);
      const user = await findApiUser(database, tenant, nameOrId);
      const tokens = createTokens({ database, keys: loadKeys(config), issuer: config.jwt.issuer });
      const act = { operation: 'apiUsers_issueToken', tenant: slug, target: user.id };
      const issued = await enter(database, act, () => tokens.issueToken(tenant, user.id, options.expires));
      const expires = issued.expiresAt.toISOString();
      output.note(`Token ${issued.tokenId} of "${user.name}" (${slug}), valid until ${shortTime(expires)}:`);
      print(output, issuedTokenView(issued, user, tenant), [issued.token]);
    });

  group
    .task('list', 'Lists tokens by id, oldest first; never the tokens themselves.')
    .argument('[tenant]', 'slug of a tenant (default: all)')
    .onDatabase(async ({ database, output }, slug: string | undefined) => {
      const entries = await listTokens(database, slug === undefined ? null : await requireTenant(database, slug));
      printTable(output, entries.map(tokenView), {
        jti: entry => entry.jti,
        tenant: entry => entry.tenant,
        'api user': entry => entry.api_user,
        issued: entry => shortTime(entry.issued_at),
        expires: entry => shortTime(entry.expires_at),
        revoked: entry => shortTime(entry.revoked_at),
        'last used': entry => shortTime(entry.last_used_at),
      });
    });

  group
    .task('revoke', 'Revokes a token permanently, on every instance within a second.')
    .argument('<jti>', 'id of the token, as shown by "token list"')
    .onDatabase(async ({ database, output }, tokenId: string) => {
      const act = { operation: 'tokens_revoke', target: tokenId };
      const revoked = await enter(database, act, async () => {
        const found = await revokeToken(database, tokenId);
        if (found) return found;
        throw new InputError(`There is no token "${tokenId}"; "token list" shows the existing ones`);
      });
      const at = revoked.revokedAt.toISOString();
      const value = { jti: tokenId, tenant: revoked.tenant.slug, revoked_at: at };
      print(output, value, [`Token ${tokenId} of tenant ${value.tenant} was revoked at ${shortTime(at)}`]);
    });
};
