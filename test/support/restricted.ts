import type { Access } from '../../src/core/resource/access.ts';
import { createApiUser } from '../../src/tenancy/api-users.ts';
import type { App, Client } from './app.ts';

let count = 0;

/** Returns a client of the same tenant whose API user is new and has the scopes and hidden categories. */
export const restricted = async (app: App, client: Client, access: Partial<Access>): Promise<Client> => {
  const { tenant, database } = client;
  const { id } = await createApiUser(database, tenant, {
    name: `${++count} ${JSON.stringify(access)}`,
    readOnly: false,
    ...access,
  });
  const token = await app.tokenOf(tenant, id);
  const call: Client['call'] = (method, path, asked) => app.callAs({ tenant, token }, method, path, asked);
  return { tenant, database, token, readOnlyToken: client.readOnlyToken, call };
};
