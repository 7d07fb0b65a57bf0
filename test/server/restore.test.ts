import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pino } from 'pino';
import { run } from '../../src/cli/run.ts';
import type { Database } from '../../src/db/open.ts';
import { dropDefinitions } from '../../src/db/schema/migrate.ts';
import { restore } from '../../src/server/backup/restore.ts';
import { readConfig } from '../../src/server/config/config.ts';
import { loadKeys } from '../../src/server/load-keys.ts';
import { openConfigured } from '../../src/server/open-configured.ts';
import { generateKeySet } from '../../src/tenancy/keys.ts';
import { listTokens } from '../../src/tenancy/token-register.ts';
import { openEmbedded } from '../support/database.ts';

const folder = mkdtempSync(join(tmpdir(), 'restore-'));
const dataDir = join(folder, 'data');
const environment = { DATA_DIR: dataDir, BASE_DOMAIN: 'test' };
const config = readConfig(environment);
const log = pino({ level: 'silent' });
const keyFile = join(dataDir, 'keys', 'HS256.json');

/** The database while it is open for several commands; null: each opens it. */
let held: Database | null = null;

/** Runs a command on the data folder. */
const staffing = async (...args: string[]) => {
  const out: string[] = [];
  const note: string[] = [];
  const terminal = { environment, out: (line: string) => out.push(line), note: (line: string) => note.push(line) };
  const opened = held && { open: () => ({ ...(held as Database), migrate: async () => [], close: async () => {} }) };
  const status = await run(args, { ...terminal, directory: folder, ...opened });
  return { status, out: out.join('\n'), note: note.join('\n') };
};

const json = async (...args: string[]) => {
  const { status, out, note } = await staffing(...args, '--json');
  assert.equal(status, 0, `${out}${note}`);
  return JSON.parse(out);
};

/** Opens the database in the data folder, as a start does. */
const opened = async <T>(work: (database: Database) => Promise<T>): Promise<T> => {
  const database = openConfigured(config, log);
  return work(database).finally(() => database.close());
};

const revoked = () =>
  opened(async database =>
    (await listTokens(database))
      .filter(({ revokedAt }) => revokedAt)
      .map(({ tokenId }) => tokenId)
      .sort(),
  );

describe('a restore', () => {
  const tokens: string[] = [];
  let administrator = '';

  before(async () => {
    held = await openEmbedded(dataDir);
    loadKeys(config);
    await json('tenant', 'create', 'acme');
    await json('api-user', 'create', 'acme', 'reports');
    for (let count = 0; count < 3; count++) tokens.push((await json('token', 'issue', 'acme', 'reports')).jti);
    administrator = (await json('administration-token', 'issue', 'Ada')).id;
    await json('token', 'revoke', tokens[0] as string);
    await json('backup', 'backup');
    await json('token', 'revoke', tokens[1] as string);
    await json('administration-token', 'revoke', administrator);
    await held.close();
    held = null;
  });
  after(() => rmSync(folder, { recursive: true }));

  for (const count of [0, 1, 3])
    it(`that ends after ${count} moves is not taken for whole, and is completed when it is run again, without the backup`, async () => {
      let moved = 0;
      const move: typeof rename = async (from, to) => {
        if (moved++ === count) throw new Error('The process has ended.');
        await rename(from, to);
      };
      const interrupted = await restore(join(folder, 'backup'), config, log, { move }).catch(({ message }) => message);
      if (interrupted === 'The process has ended.') {
        const wanted = /The restore of .*backup into .*data was interrupted: run it again \(.*restore \/.*\)/;
        await assert.rejects(async () => opened(async () => {}), { name: 'InputError', message: wanted });
        assert.match((await staffing('tenant', 'list')).note, wanted);
        assert.match((await staffing('restore', 'elsewhere')).note, /elsewhere is not a complete backup/);
        const doctor = await staffing('doctor', '--json');
        const findings = JSON.parse(doctor.out) as { check: string; result: string; detail: string }[];
        const { result, detail } = findings.find(({ check }) => check === 'database') ?? {};
        assert.equal(result, 'fail');
        assert.match(detail ?? '', wanted);
        await rename(join(folder, 'backup'), join(folder, 'removed'));
        await json('restore', 'backup');
        await rename(join(folder, 'removed'), join(folder, 'backup'));
      } else assert.fail(JSON.stringify(interrupted));
      assert.deepEqual(await revoked(), tokens.slice(0, 2).sort());
      assert.equal(existsSync(join(dataDir, 'restore.json')), false);
      assert.equal(existsSync(join(dataDir, 'restoring')), false);
    });

  it('takes over what was revoked and removed since the backup, and names it', async () => {
    const kept = readFileSync(keyFile, 'utf8');
    const [{ kid: removed }] = JSON.parse(kept).keys;
    const replaced = generateKeySet('HS256');
    writeFileSync(keyFile, replaced);
    const { status, note } = await staffing('restore', 'backup');
    assert.equal(status, 0, note);
    assert.ok(note.includes(`Tokens revoked since the backup, and taken over: ${tokens[1]}\n`), note);
    assert.ok(
      note.includes(`Administration tokens revoked since the backup, and taken over: ${administrator}\n`),
      note,
    );
    assert.ok(note.includes(`Token keys removed since the backup, and taken over: ${removed}\n`), note);
    assert.equal(readFileSync(keyFile, 'utf8'), replaced, 'a set without keys gets those in use');
    assert.deepEqual(await revoked(), tokens.slice(0, 2).sort());
  });

  it('takes it over from a database of another release, which has other views and functions', async () => {
    await opened(({ system }) => dropDefinitions(system as never));
    const { status, note } = await staffing('restore', 'backup');
    assert.equal(status, 0, note);
    assert.ok(note.includes(`Tokens revoked since the backup, and taken over: ${tokens[1]}\n`), note);
    assert.ok(note.includes(`taken over: ${administrator}\n`), note);
    assert.deepEqual(await revoked(), tokens.slice(0, 2).sort());
  });

  it('leaves a damaged database alone unless it is told that revoked tokens may be valid again', async () => {
    rmSync(join(dataDir, 'database', 'PG_VERSION'));
    const { status, note } = await staffing('restore', 'backup');
    assert.equal(status, 1);
    assert.match(note, /which tokens were revoked .*PG_VERSION is missing.* --revalidate/s);
    const again = await json('restore', 'backup', '--revalidate');
    assert.deepEqual([again.tokens, again.administration_tokens, again.keys], [[], [], []]);
    assert.deepEqual(await revoked(), tokens.slice(0, 1));
    assert.notEqual(readFileSync(keyFile, 'utf8'), '');
  });

  it('stays where the creation of a database was interrupted before, as by a first start whose port is in use', async () => {
    rmSync(join(dataDir, 'database'), { recursive: true });
    const unfinished = join(dataDir, 'database.unfinished');
    for (const made of [false, true]) {
      writeFileSync(unfinished, '');
      if (made) mkdirSync(join(dataDir, 'database', 'global'), { recursive: true });
      await json('restore', 'backup');
      assert.equal(existsSync(unfinished), false);
      assert.deepEqual(await revoked(), tokens.slice(0, 1));
      rmSync(join(dataDir, 'database'), { recursive: true });
    }
  });
});
