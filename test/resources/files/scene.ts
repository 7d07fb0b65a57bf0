import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import type { Readable } from 'node:stream';
import type { ApiResponse } from '../../support/app.ts';
import { forAnyDatabase } from '../../support/database.ts';
import { type Setting, useApp } from '../../support/for-each-app.ts';

/** An image of one pixel. */
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
/** The maximum size of a file. */
export const limit = 1_048_576;
export const plain = { 'Accept-Encoding': 'identity' };

/** Files of one tenant, through the API and as they are stored. */
export class StoredFiles {
  readonly #setting: Setting;

  constructor(setting: Setting) {
    this.#setting = setting;
  }

  upload(body: Buffer | Readable, headers: Record<string, string> = {}): Promise<ApiResponse> {
    return this.#setting.client.call('POST', '/files', { headers, body });
  }

  /** Uploads a file and returns its record. */
  async store(body: Buffer, headers: Record<string, string> = {}): Promise<ApiResponse['body']> {
    const response = await this.upload(body, headers);
    assert.equal(response.status, 201, response.text);
    return response.body;
  }

  content(id: number, headers: Record<string, string> = {}, method = 'GET'): Promise<ApiResponse> {
    return this.#setting.client.call(method, `/files/${id}/content`, { headers });
  }

  /** Returns the names of unfinished uploads. */
  temporary(): string[] {
    const { temporary } = this.#setting.app.files;
    return existsSync(temporary) ? readdirSync(temporary) : [];
  }

  /** Returns everything that is stored: a failed upload or deletion must not change it. */
  async everything() {
    const { client, app } = this.#setting;
    const keys: string[] = [];
    for await (const { key } of app.files.store.list(client.tenant.id)) keys.push(key);
    return {
      temporary: this.temporary(),
      contents: keys.length,
      rows: (await client.call('GET', '/files?fields=id')).body.length,
    };
  }
}

/** Declares the tests of files once for each database, with a separate app that limits their size. */
export const forEachFileStore = (declare: (files: StoredFiles, setting: Setting) => void): void =>
  forAnyDatabase((_, getDatabase) => {
    const setting = useApp(getDatabase, { files: { limit } });
    declare(new StoredFiles(setting), setting);
  });
