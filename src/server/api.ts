import { readFileSync } from 'node:fs';
import type Koa from 'koa';
import { actions } from '../../generated/actions.ts';
import { resources } from '../../generated/resources.ts';
import type { Database } from '../db/open.ts';
import { verbs } from '../engine/verbs.ts';
import type { State } from '../http/request/state.ts';
import { createApp, type Dependencies } from './app.ts';

const published = (name: string): string => readFileSync(new URL(`../../generated/${name}`, import.meta.url), 'utf8');

/** What differs between one place where the API is served and another. */
export type Surroundings = Omit<
  Dependencies,
  'document' | 'yaml' | 'resources' | 'verbs' | 'actions' | 'databaseOf'
> & {
  readonly database: Database;
};

/** The API that the spec describes, over a database. */
export const createApi = ({ database, ...surroundings }: Surroundings): Koa<State> =>
  createApp({
    ...surroundings,
    document: JSON.parse(published('openapi.json')),
    yaml: published('openapi.yaml'),
    resources,
    verbs,
    // Each is called with what dispatch has validated for its own operation.
    actions: actions as unknown as Dependencies['actions'],
    databaseOf: database.forTenant,
  });
