import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { connect } from 'node:tls';
import { pino } from 'pino';
import { generate } from 'selfsigned';
import { openInternalPort } from '../../src/http/connection/internal/internal.ts';
import { followCertificate } from '../../src/server/tls/renewal.ts';

const folder = mkdtempSync(join(tmpdir(), 'renewal-'));
after(() => rmSync(folder, { recursive: true }));

const make = async (name: string) => {
  const { cert, private: key } = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    curve: 'P-256',
  });
  return { cert, key };
};

/** Returns the common name of the certificate that a port presents. */
const nameAt = async (port: number): Promise<unknown> => {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return subject.CN;
};

describe('a certificate whose files are replaced', () => {
  it('is used once both files belong together, by the internal port too', async () => {
    const [first, second] = [await make('first.test'), await make('second.test')];
    const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
    writeFileSync(files.cert, first.cert);
    writeFileSync(files.key, first.key);
    const internal = await openInternalPort({ port: 0, host: '127.0.0.1', tls: first }, {});
    assert.equal(await nameAt(internal.port), 'first.test');

    const renewed = Promise.withResolvers<void>();
    const rejected = Promise.withResolvers<string>();
    const log = pino({ level: 'warn' }, { write: line => rejected.resolve(line) });
    const certify = (certificate: typeof first) => {
      assert.deepEqual(certificate, second);
      internal.certify(certificate);
      renewed.resolve();
    };
    const stop = followCertificate({ tls: { ...first, files } }, certify, log, 5);
    writeFileSync(files.cert, second.cert);
    const line = await rejected.promise;
    assert.match(line, /key\.pem is not the key of .*cert\.pem/);
    assert.ok(!line.includes('PRIVATE'), line);
    writeFileSync(files.key, second.key);
    await renewed.promise;
    stop();
    assert.equal(await nameAt(internal.port), 'second.test');
    await internal.close();
  });

  it('is used once its chain is whole: a part of one would end the process', async () => {
    const [first, second, issuer] = [await make('first.test'), await make('second.test'), await make('issuer.test')];
    const files = { cert: join(folder, 'chain.pem'), key: join(folder, 'chain-key.pem') };
    const whole = `${second.cert}\n${issuer.cert}`;
    writeFileSync(files.cert, whole.slice(0, -60));
    writeFileSync(files.key, second.key);
    const renewed = Promise.withResolvers<void>();
    const rejected = Promise.withResolvers<string>();
    const log = pino({ level: 'warn' }, { write: line => rejected.resolve(line) });
    const certify = ({ cert }: typeof first) => {
      assert.equal(cert, whole);
      renewed.resolve();
    };
    const stop = followCertificate({ tls: { ...first, files } }, certify, log, 5);
    assert.match(await rejected.promise, /The certificate cannot be read, and the last one stays in use/);
    writeFileSync(files.cert, whole);
    await renewed.promise;
    stop();
  });
});
