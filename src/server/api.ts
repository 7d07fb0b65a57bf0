import { readFileSync } from 'node:fs';
import type Koa from 'koa';
import { actions } from '../../generated/actions.ts';
import { resources } from '../../generated/resources.ts';
import { rules } from '../../generated/rules.ts';
import { createTenantFields } from '../attributes/tenant-fields.ts';
import { moveClock } from '../automations/sandbox/clock.ts';
import type { Database } from '../db/open.ts';
import { createBodyCheck } from '../engine/bodies.ts';
import type { Services } from '../engine/services.ts';
import { createVerbs } from '../engine/verbs.ts';
import { bodiesOf } from '../http/operation/operation.ts';
import { createPerform, type PerformDependencies, type PerformTask } from '../http/perform.ts';
import type { State } from '../http/request/state.ts';
import { acceptImports } from '../imports/accept.ts';
import type { ImportParts } from '../imports/process.ts';
import { type AppDependencies, createApp } from './app.ts';
import { version } from './version.ts';

/** The parts of an API that differ between the server and tests. */
export type ApiOptions = Omit<
  AppDependencies,
  'document' | 'resources' | 'verbs' | 'actions' | 'databaseOf' | 'services'
> & {
  readonly database: Database;
  readonly services: Omit<Services, 'instance' | 'moveClock'>;
  readonly concurrency: number;
  /** Maximum number of attempts of a webhook. */
  readonly attempts: number;
};

/** What the operations of an API need. */
type OperationOptions = Pick<
  ApiOptions,
  'database' | 'services' | 'rateLimit' | 'limits' | 'concurrency' | 'attempts' | 'log'
>;

/** Creates the API that the spec describes, on a database. */
export const createApi = (options: ApiOptions): Koa<State> => {
  const { database: _, services: __, attempts: ___, ...others } = options;
  return createApp({ ...others, ...partsOf(options) });
};

/** Returns the function with which the administration performs operations of that API. */
export const createPerformer = (options: OperationOptions): PerformTask => createPerform(partsOf(options));

/** Returns the operations with what serves them. */
const partsOf = ({ database, services, attempts, log, ...options }: OperationOptions): PerformDependencies => {
  const document = readDocument();
  const { requests, period } = options.rateLimit;
  const { body, jsonDepth: json_depth, url } = options.limits;
  const clock = { database, fields: createTenantFields(resources), attempts, log, now: () => new Date() };
  return {
    document,
    services: {
      ...services,
      moveClock: tenantId => moveClock(tenantId, clock),
      instance: {
        apiVersion: document.info.version,
        serviceVersion: version,
        limits: { requests, period, concurrency: options.concurrency, body, json_depth, url },
      },
    },
    resources,
    verbs: { ...createVerbs(rules, services.files), import: acceptImports(services.files) },
    // Safe: dispatch validates each call for the action's own operation.
    actions: actions as unknown as AppDependencies['actions'],
    databaseOf: database.forTenant,
  };
};

/** Returns what processing the imports of that API needs. */
export const importParts = (given: Omit<ImportParts, 'resources' | 'rules' | 'checkBody'>): ImportParts => ({
  ...given,
  resources,
  rules,
  checkBody: createBodyCheck(bodiesOf(readDocument())),
});

const openapi = new URL('../../generated/openapi.json', import.meta.url);

let document: AppDependencies['document'] | null = null;

/** Returns the OpenAPI document, of which a process holds one. */
const readDocument = (): AppDependencies['document'] => {
  document ??= JSON.parse(readFileSync(openapi, 'utf8')) as AppDependencies['document'];
  return document;
};
