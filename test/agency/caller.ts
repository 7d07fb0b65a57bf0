import assert from 'node:assert/strict';
import type { Client } from '../support/app.ts';

// biome-ignore lint/suspicious/noExplicitAny: records of every kind
export type Row = any;

/** The requests of an agency, each with the status of its response. */
export class Caller {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async ask(method: string, path: string, body?: object, expected = method === 'POST' ? 201 : 200): Promise<Row> {
    const response = await this.#client.call(method, path, body && { body });
    assert.equal(response.status, expected, `${method} ${path}: ${response.text}`);
    return response.body ?? response.text;
  }

  get(path: string): Promise<Row> {
    return this.ask('GET', path);
  }

  put(path: string, body: object): Promise<Row> {
    return this.ask('PUT', path, body);
  }

  /** Creates a record and returns its id. */
  async post(resource: string, body: object): Promise<number> {
    return (await this.ask('POST', `/${resource}`, body)).id;
  }

  /** Returns code and field of the first error of a 422. */
  async refused(method: string, path: string, body: object): Promise<string> {
    const { errors } = await this.ask(method, path, body, 422);
    return `${errors[0].code} ${errors[0].field}`;
  }
}

/** Does the same for many records, one after the other. */
export const each = async (ids: readonly number[], work: (id: number) => Promise<unknown>): Promise<void> => {
  for (const id of ids) await work(id);
};

/** Returns the sum of an amount of records, computed in cents. */
export const sum = (rows: readonly Row[], name: string): number =>
  rows.reduce((cents, row) => cents + Math.round(row[name] * 100), 0) / 100;

/** Returns the ids of records. */
export const idsOf = (rows: readonly Row[]): readonly number[] => rows.map(({ id }) => id);

/** Returns the minutes of work without its break. */
export const minutesOf = ({ start, end, break_start, break_end }: Row): number =>
  (Date.parse(end) - Date.parse(start) - (break_start ? Date.parse(break_end) - Date.parse(break_start) : 0)) / 60_000;

/** Returns a list of the same value. */
export const repeated = <T>(count: number, value: T): readonly T[] => Array.from({ length: count }, () => value);

/** The kinds of pay of the agency. */
export const wageTypes = [
  { id: 1, name: 'Hours', unit: 'hour', value: 14.5 },
  {
    id: 2,
    name: 'Night',
    type: '2',
    unit: 'hour',
    value: 14.5,
    factor: 0.25,
    windows: [{ from: '23:00', to: '06:00' }],
  },
  { id: 3, name: 'Fare', type: '3', unit: 'assignment', value: 12.3 },
  { id: 4, name: 'Carrying', type: '4', unit: 'piece', value: 2.5 },
  { id: 5, name: 'Expenses', type: '4' },
];
