import { readSecrets, replaceSecret } from '../automations/secret.ts';
import type { Database } from '../db/open.ts';
import { requireTenant } from '../tenancy/directory.ts';
import { enter } from './acts.ts';
import type { CliCommand } from './cli.ts';
import { print } from './output.ts';

/** Adds the commands `webhook-secret show` and `webhook-secret rotate`. */
export const addWebhookCommands = (program: CliCommand): void => {
  const group = program.command('webhook-secret').description("Manages the secret that signs a tenant's webhooks.");
  const add = (name: string, description: string, find: (database: Database, tenantId: number) => Promise<string>) =>
    group
      .task(name, description)
      .argument('<tenant>', 'slug of the tenant')
      .onDatabase(async ({ database, output }, slug: string) => {
        const { id } = await requireTenant(database, slug);
        const act = { operation: `webhookSecrets_${name === 'show' ? 'read' : name}`, tenant: slug };
        const secret = await enter(database, act, () => find(database, id));
        print(output, { tenant: slug, secret }, [secret]);
      });
  add('show', 'Prints the secret, for receivers of webhooks (Standard Webhooks).', async (database, id) => {
    const [newest] = await readSecrets(database, id);
    return String(newest);
  });
  add('rotate', 'Creates a new secret. For a day, webhooks are signed with the old one as well.', replaceSecret);
};
