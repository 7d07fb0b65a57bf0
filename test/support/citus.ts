import pg from 'pg';
import { startPostgres } from './postgres-server.ts';

/** Folder of Postgres programs with Citus, on a cluster of which the tests then run; undefined: they do not. */
export const citusPrograms = process.env.TEST_CITUS_BIN;

/** The login that owns the tables: no superuser. */
const OWNER = 'staffing_owner';

/** The nodes of a cluster: URLs of their default databases, as superuser. */
export interface Cluster {
  readonly coordinator: string;
  readonly workers: readonly string[];
  /** All nodes, the coordinator first. */
  readonly nodes: readonly string[];
}

/** Starts a coordinator and two workers, on loopback ports; they end with this process. */
export const startCluster = async (): Promise<Cluster> => {
  const [coordinator = '', ...workers] = await Promise.all([0, 1, 2].map(() => startPostgres(settings, citusPrograms)));
  const nodes = [coordinator, ...workers];
  for (const url of nodes) await run(url, [`create role ${OWNER} login createrole createdb`]);
  return { coordinator, workers, nodes };
};

const settings = {
  shared_preload_libraries: 'citus',
  max_connections: '300',
  max_prepared_transactions: '300',
  max_locks_per_transaction: '400',
  // A killed node must not lose what it has acknowledged.
  synchronous_commit: 'on',
  // Few, since each is a set of tables.
  'citus.shard_count': '4',
  'citus.enable_statistics_collection': 'off',
};

/** Creates an empty database on every node of a cluster and returns its URL on the coordinator, as its owner. */
export const createOnCluster = async (cluster: Cluster, name: string): Promise<string> => {
  for (const node of cluster.nodes) {
    await run(node, [`create database ${name} owner ${OWNER} template template0`]);
    await run(urlOf(node, name), ['create extension citus', 'create extension btree_gist']);
  }
  const { hostname, port } = new URL(cluster.coordinator);
  await run(urlOf(cluster.coordinator, name), [
    `select citus_set_coordinator_host('${hostname}', ${port})`,
    ...cluster.workers.map(url => `select citus_add_node('${new URL(url).hostname}', ${new URL(url).port})`),
  ]);
  return urlOf(cluster.coordinator, name, OWNER);
};

/** Makes a database that nobody connects to a template, on every node: Citus looks after each database from time to time. */
export const closeOnCluster = async (cluster: Cluster, name: string): Promise<void> => {
  for (const node of cluster.nodes)
    await run(node, [
      `alter database ${name} allow_connections false`,
      `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${name}'`,
    ]);
};

/** Copies a closed database on every node; settings of the database are not copied. */
export const copyOnCluster = async (cluster: Cluster, name: string, template: string): Promise<string> => {
  for (const node of cluster.nodes) await run(node, [`create database ${name} owner ${OWNER} template ${template}`]);
  return urlOf(cluster.coordinator, name, OWNER);
};

const urlOf = (node: string, database: string, user = 'postgres'): string => {
  const url = new URL(node);
  url.pathname = `/${database}`;
  url.username = user;
  return url.href;
};

const run = async (url: string, texts: readonly string[]): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const text of texts) await client.query(text);
  } finally {
    await client.end();
  }
};
