import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type DatabaseErrorKind, toDatabaseError } from '../../src/db/errors.ts';

const sent = (code: string, message = 'secret', more: object = {}): Error =>
  Object.assign(new Error(message), { severity: 'ERROR', code, ...more });
/** An error of the operating system, or of Node.js. */
const system = (code: string, more: object = {}): Error => Object.assign(new Error('secret'), { code, ...more });

const cases: [label: string, error: unknown, kind: DatabaseErrorKind][] = [
  ['a serialisation failure', sent('40001'), 'conflict'],
  ['a deadlock', sent('40P01'), 'conflict'],
  ['a lock not got in time', sent('55P03'), 'conflict'],
  ['a plan from before a migration', sent('0A000', '', { routine: 'RevalidateCachedQuery' }), 'conflict'],
  ['a cancelled statement', sent('57014'), 'timeout'],
  ['a server that shuts down', sent('57P01'), 'unavailable'],
  ['a server that starts', sent('57P03'), 'unavailable'],
  ['a server with too many connections', sent('53300'), 'unavailable'],
  ['a full disk', sent('53100'), 'unavailable'],
  ['a refused password', sent('28P01'), 'unavailable'],
  ['a server that became a standby', sent('25006'), 'unavailable'],
  ['a refused connection', system('ECONNREFUSED'), 'unavailable'],
  ['a write to a closed socket', system('EPIPE', { errno: -32, syscall: 'write' }), 'unavailable'],
  ['a write to a socket that the server has ended', system('EPIPE'), 'unavailable'],
  ['a broken connection', new Error('Connection terminated unexpectedly'), 'unavailable'],
  ['a coordinator that lost a worker', sent('XX000', 'secret', { routine: 'ReportResultError' }), 'unavailable'],
  ['one that notices it late', sent('XX000', 'secret', { routine: 'MarkRemoteTransactionFailed' }), 'unavailable'],
  ['one that notices it at COMMIT', sent('XX000', '', { routine: 'CheckRemoteTransactionsHealth' }), 'unavailable'],
  ['a defect that the server reports', sent('XX000'), 'other'],
  ['a number out of range', sent('22003'), 'value'],
  ['a NUL character', sent('22021'), 'value'],
  ['an unknown table', sent('42P01'), 'other'],
];

describe('an error of the driver becomes', () => {
  for (const [label, error, kind] of cases)
    test(`${kind}: ${label}`, () => {
      const made = toDatabaseError(error);
      assert.equal(made.kind, kind);
      assert.equal(made.cause, error);
      assert.doesNotMatch(made.message, /secret/);
    });

  const key = { constraint: 'client_id_fkey', table: 'contacts' };
  const foreign: [language: string, message: string, kind: DatabaseErrorKind][] = [
    [
      'English',
      'insert or update on table "contacts" violates foreign key constraint "client_id_fkey"',
      'reference_missing',
    ],
    [
      'English',
      'update or delete on table "clients" violates foreign key constraint "client_id_fkey" on table "contacts"',
      'still_referenced',
    ],
    [
      'German',
      'Einfügen oder Aktualisieren in Tabelle »contacts« verletzt Fremdschlüssel-Constraint »client_id_fkey«',
      'reference_missing',
    ],
    [
      'German',
      'Aktualisieren oder Löschen in Tabelle »clients« verletzt Fremdschlüssel-Constraint »client_id_fkey« von Tabelle »contacts«',
      'still_referenced',
    ],
    [
      'French',
      `une instruction insert ou update sur la table « contacts » viole la contrainte de clé étrangère « client_id_fkey »`,
      'reference_missing',
    ],
  ];
  for (const [language, message, kind] of foreign)
    test(`${kind}: a foreign key’s violation in ${language}`, () => {
      const made = toDatabaseError(sent('23503', message, key));
      assert.deepEqual([made.kind, made.table, made.columns], [kind, 'contacts', ['client_id']]);
    });

  /** What a coordinator passes on of the violations that a worker finds, as measured with Citus 13.2. */
  const onShards: [code: string, message: string, kind: DatabaseErrorKind, table: string, columns: string[]][] = [
    [
      '23505',
      'duplicate key value violates unique constraint "clients__external_id__key_103166"',
      'unique',
      'clients',
      ['external_id'],
    ],
    [
      '23502',
      'null value in column "lastname" of relation "contacts_103198" violates not-null constraint',
      'not_null',
      'contacts',
      ['lastname'],
    ],
    [
      '23514',
      'new row for relation "journal_heads_102462" violates check constraint "journal_heads_id_check"',
      'check',
      'journal_heads',
      ['id'],
    ],
    [
      '23503',
      'insert or update on table "contacts_103198" violates foreign key constraint "client_id_fkey_103198"',
      'reference_missing',
      'contacts',
      ['client_id'],
    ],
    [
      '23503',
      'update or delete on table "clients_103166" violates foreign key constraint "client_id_fkey_103198" on table "contacts_103198"',
      'still_referenced',
      'contacts',
      ['client_id'],
    ],
    [
      '23503',
      'une instruction insert ou update sur la table « contacts_103198 » viole la contrainte de clé étrangère « client_id_fkey_103198 »',
      'reference_missing',
      'contacts',
      ['client_id'],
    ],
  ];
  for (const [code, message, kind, table, columns] of onShards)
    test(`${kind}, of the table and not of its shard: ${message}`, () => {
      const made = toDatabaseError(sent(code, message));
      assert.deepEqual([made.kind, made.table, made.columns], [kind, table, columns]);
    });

  test('an embed of too many records, by the detail: a coordinator passes on no other field', () => {
    const made = toDatabaseError(Object.assign(sent('EMBED', 'Too many'), { detail: 'contacts' }));
    assert.deepEqual([made.kind, made.constraint], ['embed_overflow', 'contacts']);
  });
});
