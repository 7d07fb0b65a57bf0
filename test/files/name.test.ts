import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parse } from 'content-disposition';
import { readFileName } from '../../src/files/name.ts';
import { anyDatabase } from '../support/database.ts';
import { useApp } from '../support/for-each-app.ts';

/** The UTF-8 bytes of a string, as Node.js returns them in a header. */
const raw = (text: string): string => Buffer.from(text).toString('latin1');
const long = 'x'.repeat(300);

/** Null: nothing is left of the name, so one is generated. */
const cases: [header: string, name: string | null][] = [
  ['report.pdf', 'report.pdf'],
  ['my report.pdf', 'my report.pdf'],
  ['na%C3%AFve.pdf', 'naïve.pdf'],
  ["UTF-8''na%C3%AFve.pdf", 'naïve.pdf'],
  ["utf-8'de'%e2%82%ac%20rates.txt", '€ rates.txt'],
  ["ISO-8859-1''na%EFve.pdf", 'naïve.pdf'],
  ["UTF-8''%EF%BC%A1.txt", 'Ａ.txt'],
  [raw('naïve.pdf'), 'naïve.pdf'],
  ['na\u00efve.pdf', 'naïve.pdf'],
  [raw('履歴書.docx'), '履歴書.docx'],
  [raw('👩‍🚀.png'), '👩‍🚀.png'],
  ['e%CC%81t%C3%A9.txt', 'été.txt'],
  ['100%.txt', '100%.txt'],
  ['100%25.txt', '100%.txt'],
  ['50%zz.txt', '50%zz.txt'],
  ['%FF%FE.txt', '%FF%FE.txt'],
  ["UTF-8''%FF.txt", 'ÿ.txt'],
  ["o'neill.txt", "o'neill.txt"],
  ['/etc/passwd', 'passwd'],
  ['../../../etc/passwd', 'passwd'],
  ['..%2F..%2Fetc%2Fpasswd', 'passwd'],
  ['C:\\Windows\\win.ini', 'win.ini'],
  ['..%5C..%5Cboot.ini', 'boot.ini'],
  ['a/b/', null],
  ['.', null],
  ['..', null],
  ['...', null],
  ['%2E%2E', null],
  ['', null],
  ['%20', null],
  ['%00', null],
  ['%0D%0A', null],
  ['a%00b.txt', 'ab.txt'],
  ['a%0D%0ASet-Cookie: x=1.txt', 'aSet-Cookie: x=1.txt'],
  ['a%0Ab.txt', 'ab.txt'],
  ['a%09b.txt', 'ab.txt'],
  ['a%7Fb.txt', 'ab.txt'],
  ['a%C2%85b.txt', 'ab.txt'],
  ['a%E2%80%A8b.txt', 'ab.txt'],
  ['photo%E2%80%AEgnp.exe', 'photognp.exe'],
  ['%E2%81%A6a%E2%81%A9.txt', 'a.txt'],
  ['%D8%9Ca.txt', 'a.txt'],
  ['%EF%BB%BFa.txt', 'a.txt'],
  ['a%E2%80%8Bb.txt', 'ab.txt'],
  ['"quoted".txt', '"quoted".txt'],
  ['a"; filename="b.html', 'a"; filename="b.html'],
  ['a%22%3B filename%3D%22b.html', 'a"; filename="b.html'],
  ['back\\slash.txt', 'slash.txt'],
  ['a;b,c.txt', 'a;b,c.txt'],
  ['<script>alert(1)<%2Fscript>', 'script>'],
  ['.htaccess', '.htaccess'],
  ['name.txt. . .', 'name.txt'],
  ['  blanks.txt  ', 'blanks.txt'],
  [`${long}.pdf`, `${'x'.repeat(251)}.pdf`],
  [raw(`${'ü'.repeat(200)}.pdf`), `${'ü'.repeat(125)}.pdf`],
  [raw(`${'👩'.repeat(100)}.x`), `${'👩'.repeat(63)}.x`],
  [long, 'x'.repeat(255)],
];

describe('a file name', () => {
  const { client } = useApp(anyDatabase);

  for (const [header, name] of cases) {
    it(`given as ${JSON.stringify(header.slice(0, 40))} is clean, and comes back in one header`, async () => {
      assert.equal(readFileName(header) || null, name);
      const response = await client.call('POST', '/files', {
        headers: { 'X-File-Name': header },
        body: Buffer.from('a'),
      });
      assert.equal(response.status, 201, response.text);
      const { id, name: kept } = response.body;
      if (name === null) assert.match(kept, /^file-[0-9a-f-]{36}$/);
      else assert.equal(kept, name);
      const { headers } = await client.call('GET', `/files/${id}/content`);
      const { type, parameters } = parse(String(headers['content-disposition']));
      assert.deepEqual([type, parameters.filename], ['attachment', kept]);
      assert.equal(headers['set-cookie'], undefined);
    });
  }
});
