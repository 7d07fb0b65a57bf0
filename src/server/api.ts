import { readFileSync } from 'node:fs';
import type Koa from 'koa';
import { actions } from '../../generated/actions.ts';
import { resources } from '../../generated/resources.ts';
import { rules } from '../../generated/rules.ts';
import type { Database } from '../db/open.ts';
import { createVerbs } from '../engine/verbs.ts';
import type { State } from '../http/request/state.ts';
import { createApp, type Dependencies } from './app.ts';

/** The parts of an API that differ between the server and tests. */
export type ApiOptions = Omit<Dependencies, 'document' | 'resources' | 'verbs' | 'actions' | 'databaseOf'> & {
  readonly database: Database;
};

/** Creates the API that the spec describes, on a database. */
export const createApi = ({ database, ...options }: ApiOptions): Koa<State> =>
  createApp({
    ...options,
    document: JSON.parse(readFileSync(new URL('../../generated/openapi.json', import.meta.url), 'utf8')),
    resources,
    verbs: createVerbs(rules),
    // Safe: dispatch validates each call for the action's own operation.
    actions: actions as unknown as Dependencies['actions'],
    databaseOf: database.forTenant,
  });
