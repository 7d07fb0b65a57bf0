import assert from 'node:assert/strict';
import { Duplex } from 'node:stream';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { RawStatement } from '../../../src/db/connection.ts';
import { COMMIT, plain, READ } from '../../../src/db/enter.ts';
import { DatabaseError } from '../../../src/db/errors.ts';
import { embeddedPool, postgresPool } from '../../../src/db/pool/pool.ts';
import { Session } from '../../../src/db/pool/session.ts';
import { inMemory, serverUrl } from '../../support/database.ts';
import { chosenDatabases, databaseWords } from '../../support/databases.ts';
import { embeddedTemplate } from '../../support/template.ts';

const message = (code: string, ...parts: readonly (string | Buffer)[]): Buffer => {
  const body = Buffer.concat(parts.map(part => Buffer.from(part)));
  const head = Buffer.from(`${code}0000`);
  head.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
};

const int16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255]);
const int32 = (value: number): Buffer => Buffer.from([value >> 24, value >> 16, value >> 8, value]);
const column = (name: string) => Buffer.concat([Buffer.from(`${name}\0`), Buffer.alloc(6), int32(25), Buffer.alloc(8)]);
const cell = (text: string | null): Buffer =>
  text === null ? int32(-1) : Buffer.concat([int32(Buffer.byteLength(text)), Buffer.from(text)]);
const described = (names: readonly string[]) => message('T', int16(names.length), ...names.map(column));
const dataRow = (cells: readonly (string | null)[]) => message('D', int16(cells.length), ...cells.map(cell));
const ready = (status: string) => message('Z', status);

/** A connection whose server sends what it is told to. */
const silent = (): Duplex => new Duplex({ read: () => {}, write: (_, __, done) => done() });

const statement = (name: string | null): RawStatement => ({ name, text: 'select', values: ['1'] });
/** A value that has no text. */
const cyclic: { self?: object } = {};
cyclic.self = cyclic;

describe('a session', () => {
  test('rejects values that cannot be sent, of which nothing reaches a server, neither now nor with what is sent next', async () => {
    const written: Buffer[] = [];
    const open = (): [Session, Duplex] => {
      const stream = new Duplex({ read: () => {}, write: (chunk, _, done) => done(void written.push(chunk) as never) });
      return [new Session(stream, true, assert.fail), stream];
    };
    const [[session, stream], [other], [fresh]] = [open(), open(), open()];
    const isOther = (error: unknown) => error instanceof DatabaseError && error.kind === 'other';
    for (const values of [[cyclic], new Array(70_000).fill('1')])
      await assert.rejects(session.send([statement('before'), { name: 'unfit', text: 'select', values }]), isOther);
    assert.equal(written.length, 0);
    assert.deepEqual([session.knows('before'), session.knows('unfit')], [false, false]);
    for (const each of [fresh, other, session]) void each.send([statement('before')]).catch(() => {});
    assert.equal(written.length, 3);
    for (const bytes of written) assert.deepEqual(bytes, written[0]);
    const next = session.send([statement(null)]);
    const response = (text: string) => [described(['a']), dataRow([text]), message('C', 'SELECT 1\0'), ready('I')];
    stream.emit('data', Buffer.concat([message('1'), ...response('first'), message('1'), ...response('second')]));
    assert.deepEqual((await next).results[0]?.rows, [['second']]);
  });

  test('reads the same results however the bytes of the responses arrive', async () => {
    const tables = fc.array(
      fc.array(
        fc.tuple(fc.option(fc.string({ unit: 'binary' })), fc.option(fc.constantFrom('', 'ä', 'x'.repeat(300)))),
      ),
      { maxLength: 4 },
    );
    const run = async (trips: readonly (readonly (readonly (string | null)[])[][])[], cuts: readonly number[]) => {
      const stream = silent();
      const session = new Session(stream, true, assert.fail);
      const responses = trips.map(results => session.send(results.map(() => statement(null))));
      const bytes = Buffer.concat(
        trips.flatMap(results => [
          message('N', 'Ssome notice\0\0'),
          ...results.flatMap(rows => [
            described(['a', 'ö']),
            ...rows.map(dataRow),
            message('C', `SELECT ${rows.length}\0`),
          ]),
          ready('T'),
        ]),
      );
      const places = [...new Set(cuts.map(cut => cut % bytes.length))].sort((one, other) => one - other);
      for (const [index, end] of [...places, bytes.length].entries())
        stream.emit('data', bytes.subarray(places[index - 1] ?? 0, end));
      for (const [index, response] of responses.entries()) {
        const { results, failure, status } = await response;
        assert.equal(failure, null);
        assert.equal(status, 'T');
        assert.deepEqual(
          results.map(({ rows, columns, affected, command }) => ({ rows, columns, affected, command })),
          trips[index]?.map(rows => ({ rows, columns: ['a', 'ö'], affected: rows.length, command: 'SELECT' })),
        );
      }
    };
    await fc.assert(
      fc.asyncProperty(fc.array(tables, { minLength: 1, maxLength: 3 }), fc.array(fc.nat()), (trips, cuts) =>
        run(
          trips.map(results => [[], ...results]),
          cuts,
        ),
      ),
    );
  });

  test('asks for the columns of a named statement once', async () => {
    const stream = silent();
    const session = new Session(stream, true, assert.fail);
    const first = session.send([statement('one'), statement(null)]);
    const [row, complete] = [dataRow(['7']), message('C', 'SELECT 1\0')];
    const one = [message('1'), message('2'), described(['n']), row, complete];
    stream.emit('data', Buffer.concat([...one, ...one, ready('I')]));
    await first;
    const sent: Buffer[] = [];
    stream.write = (chunk: Buffer) => sent.push(chunk) > 0;
    const again = session.send([statement('one'), statement('one')]);
    stream.emit('data', Buffer.concat([message('2'), row, complete, message('2'), row, complete, ready('I')]));
    const { results } = await again;
    assert.deepEqual(
      results.map(({ columns, types, rows }) => ({ columns, types, rows })),
      Array(2).fill({ columns: ['n'], types: [25], rows: [['7']] }),
    );
    const codes: string[] = [];
    const bytes = Buffer.concat(sent);
    for (let at = 0; at < bytes.length; at += 1 + bytes.readInt32BE(at + 1))
      codes.push(String.fromCharCode(bytes[at] ?? 0));
    assert.deepEqual(codes, ['B', 'E', 'B', 'E', 'S']);
  });

  test('that has lost its connection rejects what is under way and what is sent later, with the server’s reason', async () => {
    const stream = silent();
    const session = new Session(stream, true, assert.fail);
    const waiting = session.send([statement(null), statement(null)]);
    stream.emit('data', message('E', 'SFATAL\0VFATAL\0C57P01\0Mterminated\0\0'));
    session.fail(new Error('The connection has ended.'));
    await assert.rejects(waiting, { message: 'terminated', code: '57P01' });
    await assert.rejects(session.send([statement(null)]), { message: 'terminated' });
  });
});

const failing: RawStatement = { name: 'fails', text: 'select 1 / $1::int', values: ['0'] };
const unreached: RawStatement = { name: 'unreached', text: 'select 2 + $1::int', values: ['0'] };

/** An integer, instants by days and microseconds since 2000, both without end, and what stays text. */
const ofAllKinds = `select $1::bigint,
  timestamptz '2000-01-01Z' + make_interval(days => $2::int) + $3::bigint * interval '1 microsecond',
  timestamptz 'infinity', timestamptz '-infinity', '12345678', $2::int, null::bigint`;

/** Days and microseconds: whole seconds from the first instant there is to the last of a year of four digits. */
const instant = fc.oneof(
  fc.tuple(fc.integer({ min: -100_000, max: 100_000 }), fc.integer({ min: 0, max: 86_399_999_999 })),
  fc.tuple(
    fc.integer({ min: -2_451_000, max: 2_921_939 }),
    fc.integer({ min: 0, max: 86_399 }).map(s => s * 1_000_000),
  ),
);

for (const name of chosenDatabases.each)
  describe(`a trip to ${databaseWords[name]}`, () => {
    const open = async () => {
      const options = { timeout: 60_000, prepared: true, onIdleError: () => {} };
      return name === 'postgres'
        ? postgresPool(await serverUrl(), { size: 1, ...options })
        : embeddedPool(inMemory.dataDir, options, await embeddedTemplate());
    };

    test('that fails before its commit is rolled back, and its connection is used again', async () => {
      const pool = await open();
      const first = await pool.connect();
      const isCause = (error: unknown) => error instanceof DatabaseError && error.kind === 'value';
      const pid = async (connection = first) =>
        (await connection.send([plain('select pg_backend_pid(), pg_current_xact_id_if_assigned()')]))[0]?.rows;
      const before = await pid();
      await assert.rejects(first.send([READ, failing, unreached, COMMIT]), isCause);
      first.release();
      const second = await pool.connect();
      assert.deepEqual(await pid(second), before);
      const results = await second.send([READ, unreached, { ...failing, values: ['1'] }, COMMIT]);
      assert.deepEqual(results[1]?.rows, [['2']]);
      assert.equal(results.at(-1)?.command, 'COMMIT');
      second.release();
      await pool.end();
    });

    test('that fails leaves no name behind that the server has not prepared', async () => {
      const pool = await open();
      const connection = await pool.connect();
      const [, behind] = await Promise.allSettled([
        connection.send([failing, unreached]),
        connection.send([
          { ...unreached, values: ['5'] },
          { name: null, text: 'select $1::text', values: ['é'] },
        ]),
      ]);
      assert.equal(behind.status, 'rejected', 'its name had not been prepared');
      const results = await connection.send([{ ...unreached, values: ['5'] }, plain('select 1')]);
      assert.deepEqual(
        results.map(({ rows }) => rows),
        [[['7']], [['1']]],
      );
      connection.release();
      await pool.end();
    });

    test('has the same strings for values that the server sends in its binary format', async () => {
      const pool = await open();
      const connection = await pool.connect();
      const send = async (name: string | null, values: readonly string[]) => {
        const results = await connection.send([plain(`set timezone = 'UTC'`), { name, text: ofAllKinds, values }]);
        return results[1];
      };
      await send('kinds', ['0', '0', '0']);
      await fc.assert(
        fc.asyncProperty(
          fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
          instant,
          async (integer, [day, part]) => {
            const values = [integer, day, part].map(String);
            const [binary, text] = [await send('kinds', values), await send(null, values)];
            assert.deepEqual(binary?.cells[0]?.binary, [
              'integer',
              'instant',
              'instant',
              'instant',
              undefined,
              undefined,
              'integer',
            ]);
            assert.deepEqual(text?.cells[0]?.binary, []);
            assert.deepEqual(binary?.rows, text?.rows);
          },
        ),
      );
      connection.release();
      await pool.end();
    });

    test('of a text with several statements has a result for each', async () => {
      const pool = await open();
      const connection = await pool.connect();
      const results = await connection.send([plain('select 1 as a; select 2 as b where false; values (3), (4)')]);
      assert.deepEqual(
        results.map(({ columns, rows }) => [columns, rows]),
        [
          [['a'], [['1']]],
          [['b'], []],
          [['column1'], [['3'], ['4']]],
        ],
      );
      connection.release();
      await pool.end();
    });
  });
