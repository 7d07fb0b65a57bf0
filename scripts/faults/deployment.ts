/** What the service runs on: the embedded database, a Postgres server, or that with two workers. */
export type Deployment = 'embedded' | 'postgres' | 'workers';

/** All of them. */
export const deployments: readonly Deployment[] = ['embedded', 'postgres', 'workers'];
