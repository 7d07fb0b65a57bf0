import { Readable } from 'node:stream';
import { resources } from '../../generated/resources.ts';
import { fieldsOf } from '../core/resource/fields.ts';
import type { Transaction } from '../db/database.ts';
import { newId } from '../db/ids.ts';
import type { Database } from '../db/open.ts';
import { exportRun } from '../domain/payroll/export.ts';
import { insert } from '../engine/write.ts';
import type { Files } from '../files/files.ts';
import { addChanges } from './change-requests.ts';
import type { Demo } from './fill.ts';

interface Sample {
  readonly path?: string;
  readonly name: string;
  readonly mime?: string;
  readonly visibility?: 'public';
  readonly text: string;
}

/** Private texts, unless they say otherwise. */
const samples: readonly Sample[] = [
  {
    name: 'house-rules.txt',
    text: 'Be there a quarter of an hour before the start.\nBlack trousers, white shirt.\n',
  },
  {
    // The document's examples name these two paths.
    path: '5f0c1b7e9a3d4c2286e1d0b94a7f3c58',
    name: 'prices.csv',
    mime: 'text/csv',
    visibility: 'public',
    text: 'function;hour\nService;24.50\nBar;26.00\nKitchen;23.00\n',
  },
  {
    name: 'contract-template.txt',
    text: 'Contract of employment for the time of one assignment, at {hourly_rate} an hour.\n',
  },
  {
    path: 'a41d7be0f3c94c51b2e86d0397c5f1a8',
    name: 'contract.txt',
    text: 'Contract of employment for the time of one assignment.\n',
  },
  {
    name: 'signature.svg',
    mime: 'image/svg+xml',
    text: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 20"><path d="M2 15q9-25 14 0t14-6 12 5 16-9" fill="none" stroke="#000"/></svg>\n',
  },
  { name: 'health-certificate.txt', text: 'Has been instructed about handling food.\n' },
];

/** The number of records of each table that sample files add: one file is that of the exported pay run. */
export const addedCounts = { files: samples.length + 1, payroll_exports: 1 } as const;

/**
 * Adds sample files to the demo tenant.
 * They include the file of its contracts, the signature of some work times, a certificate in a change request and an exported
 * pay run.
 * @param idOf returns the next id of a table
 */
export const fillDemoFiles = async (
  database: Database,
  files: Files,
  { tenant, apiUser }: Pick<Demo, 'tenant' | 'apiUser'>,
  idOf: (transaction: Transaction, table: keyof typeof addedCounts) => Promise<number> = newId,
): Promise<void> => {
  const db = database.forTenant(tenant);
  for (const { text, mime = 'text/plain', visibility = 'private', ...sample } of samples) {
    const { path, size } = await files.receive(tenant.id, Readable.from([Buffer.from(text)]), null, sample.path);
    const row = { ...sample, mime, visibility, path, size, status: 1, user_id: apiUser.id };
    await db.transaction(async transaction => {
      const { kysely } = transaction;
      const id = await insert(fieldsOf(resources.files), { id: await idOf(transaction, 'files'), ...row }, transaction);
      if (sample.name === 'contract-template.txt')
        await kysely.updateTable('assignment_contract').set({ document_template_id: id }).execute();
      // Contracts of future work are not signed yet.
      if (sample.name === 'contract.txt')
        await kysely
          .updateTable('assignment_contract')
          .set({ file: path })
          .where('assignment_id', 'in', query =>
            query.selectFrom('assignments').select('id').where('is_approved', '=', true),
          )
          .execute();
      if (sample.name === 'health-certificate.txt') await addChanges(transaction, id);
      if (sample.name === 'signature.svg')
        await kysely
          .updateTable('work_time_proposals')
          .set(({ ref, selectFrom }) => ({
            signature_file_id: id,
            signed_at: ref('created_at'),
            signed_by_type: 'planner',
            signed_by_id: selectFrom('assignments_view as a')
              .select('a.planner_id')
              .whereRef('a.id', '=', 'work_time_proposals.assignment_id'),
          }))
          .where('remarks', 'is not', null)
          .execute();
    });
  }
  await db.transaction(async transaction => {
    const { file, values } = await exportRun({ payRunId: 1, formatId: 1, userId: apiUser.id }, files, transaction);
    const row = { id: await idOf(transaction, 'files'), ...file };
    const file_id = await insert(fieldsOf(resources.files), row, transaction);
    const id = await idOf(transaction, 'payroll_exports');
    await insert(fieldsOf(resources['payroll-exports']), { id, ...values, file_id }, transaction);
  });
};
