import type { Variable } from './variable.ts';
import { access } from './variables/access.ts';
import { automations } from './variables/automations.ts';
import { database } from './variables/database.ts';
import { files } from './variables/files.ts';
import { limits } from './variables/limits.ts';
import { operation } from './variables/operation.ts';
import { server } from './variables/server.ts';

const all = [...server, ...database, ...access, ...limits, ...files, ...automations, ...operation] as const;

/** The names of all environment variables. */
export type VariableName = (typeof all)[number]['name'];

/** All environment variables of the service, in the order of docs/configuration.md. */
export const variables: readonly (Variable & { readonly name: VariableName })[] = all;
