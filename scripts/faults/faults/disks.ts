import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { senderOf } from '../../../test/replica/caller.ts';
import { deployments } from '../deployment.ts';
import type { Fault } from '../fault.ts';
import type { FaultGround } from '../ground.ts';
import type { WriteLedger } from '../ledger.ts';
import { diskObstacle, mountDisk, type SmallDisk } from '../system.ts';

const mebibyte = 1_048_576;
/** Requests that are rejected before there is room again. */
const rejections = 10;

let disk: SmallDisk | undefined;

const mount = ({ folder, undo }: FaultGround, size: number): string => {
  const made = mountDisk(join(folder, 'small'), size * mebibyte);
  disk = made;
  undo.push(made.remove);
  return made.folder;
};

const fillDisk = async ({ service, client }: FaultGround, ledger: WriteLedger): Promise<string> => {
  await ledger.more(20);
  disk?.fill();
  await ledger.moreRejected(rejections);
  disk?.empty();
  await service.serves(client);
  await ledger.more(20);
  return 'once';
};

/** Uploads and imports find no room. */
export const fullFiles: Fault = {
  name: 'the disk of files is full',
  deployments,
  short: ['postgres'],
  obstacle: diskObstacle,
  prepare: async ground => {
    ground.service.environment.FILE_DIR = mount(ground, 64);
  },
  happen: fillDisk,
};

/** The embedded database finds no room. */
export const fullDatabase: Fault = {
  name: 'the disk of the database is full',
  deployments: ['embedded'],
  short: ['embedded'],
  obstacle: diskObstacle,
  prepare: async ground => {
    const { environment } = ground.service;
    const folder = mount(ground, 512);
    cpSync(environment.DATA_DIR as string, folder, { recursive: true });
    environment.DATA_DIR = folder;
  },
  happen: fillDisk,
};

/** Clients that make a listing of more than stays in memory. */
const many = 4000;

/** Long listings find no room; writes do. */
export const fullSpool: Fault = {
  name: 'the disk of long listings is full',
  deployments,
  short: [],
  obstacle: diskObstacle,
  prepare: async ground => {
    ground.service.environment.TMPDIR = mount(ground, 16);
  },
  happen: async ({ client, service }, ledger) => {
    const { send, close } = senderOf(client, () => service.port);
    const rows = Array.from(
      { length: many },
      (_, n) => `${JSON.stringify({ company: `Many ${n}`.padEnd(250, '.') })}\n`,
    );
    const headers = { 'Content-Type': 'application/x-ndjson' };
    const accepted = await send('POST', '/clients/import', Buffer.from(rows.join('')), headers);
    const { id } = JSON.parse(String(accepted?.bytes));
    for (
      let status = '';
      status !== 'done';
      status = JSON.parse(String((await ledger.read(`/imports/${id}`)).bytes)).status
    )
      await ledger.more(1);
    const statuses: unknown[] = [];
    for (const change of [() => {}, disk?.fill, disk?.empty]) {
      change?.();
      statuses.push((await send('GET', '/clients'))?.status);
      await ledger.more(20);
    }
    close();
    if (statuses.join() !== '200,503,200') ledger.violations.push(`Long listings are ${statuses.join(', ')}.`);
    return statuses.join(' ');
  },
};
