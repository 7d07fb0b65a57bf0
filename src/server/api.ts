import { readFileSync } from 'node:fs';
import type Koa from 'koa';
import { actions } from '../../generated/actions.ts';
import { resources } from '../../generated/resources.ts';
import { rules } from '../../generated/rules.ts';
import type { Database } from '../db/open.ts';
import { createVerbs } from '../engine/verbs.ts';
import type { State } from '../http/request/state.ts';
import { createApp, type Dependencies } from './app.ts';

/** What differs between one place where the API is served and another. */
export type Surroundings = Omit<Dependencies, 'document' | 'resources' | 'verbs' | 'actions' | 'databaseOf'> & {
  readonly database: Database;
};

/** The API that the spec describes, over a database. */
export const createApi = ({ database, ...surroundings }: Surroundings): Koa<State> =>
  createApp({
    ...surroundings,
    document: JSON.parse(readFileSync(new URL('../../generated/openapi.json', import.meta.url), 'utf8')),
    resources,
    verbs: createVerbs(rules),
    // Each is called with what dispatch has validated for its own operation.
    actions: actions as unknown as Dependencies['actions'],
    databaseOf: database.forTenant,
  });
