import { access } from './variables/access.ts';
import { automations } from './variables/automations.ts';
import { database } from './variables/database.ts';
import { files } from './variables/files.ts';
import { limits } from './variables/limits.ts';
import { operation } from './variables/operation.ts';
import { server } from './variables/server.ts';

/** Every variable that the service reads, in the order in which README lists them. */
export const variables = [
  ...server,
  ...database,
  ...access,
  ...limits,
  ...files,
  ...automations,
  ...operation,
] as const;

export type Name = (typeof variables)[number]['name'];
