import { backUp } from '../server/backup/backup.ts';
import type { Revocations } from '../server/backup/carry-over.ts';
import { restore } from '../server/backup/restore.ts';
import { readConfig } from '../server/config/config.ts';
import { openLog } from '../server/log.ts';
import { version } from '../server/version.ts';
import { renewJournals } from '../tenancy/journals.ts';
import type { CliCommand } from './cli.ts';
import { print } from './output.ts';

const revoked = ({ tokens, administration_tokens: administrators, keys }: Revocations) => ({
  'Tokens revoked': tokens,
  'Administration tokens revoked': administrators,
  'Token keys removed': keys,
});

/** Adds the commands `backup`, `restore` and `journal renew`. */
export const addBackupCommands = (program: CliCommand): void => {
  program
    .task(
      'backup',
      'Writes the embedded database, the files on the disk, the token keys and the certificate into a new folder, also while the server runs. Whoever can read that folder can read everything.',
    )
    .argument('<folder>', 'a new folder outside DATA_DIR')
    .onAnyDatabase(async ({ database, config, output, pathOf }, argument: string) => {
      const folder = pathOf(argument);
      const manifest = await backUp(folder, config, database, version);
      print(output, { folder, ...manifest }, [`The backup is in ${folder}`]);
      if (!manifest.files) output.note('The contents of files are in the object storage, and not in this backup.');
    });

  program
    .task('restore', 'Restores a backup, while the server is stopped. What was there before is moved aside.')
    .argument('<folder>', 'the folder of a backup')
    .option('--revalidate', 'let tokens be valid that were revoked, and keys that were removed, after the backup')
    .does(
      async ({ environment, output, pathOf }, argument: string, { revalidate = false }: { revalidate?: boolean }) => {
        const folder = pathOf(argument);
        const log = openLog('warn');
        const { manifest, before, revocations } = await restore(folder, readConfig(environment), log, { revalidate });
        print(output, { folder, ...manifest, before, ...revocations }, [
          `The state of ${manifest.created_at} has been restored`,
        ]);
        for (const path of before) output.note(`What was there before is in ${path}`);
        for (const [name, ids] of Object.entries(revoked(revocations)))
          if (ids.length > 0) output.note(`${name} since the backup, and taken over: ${ids.join(', ')}`);
        output.note('Clients that follow GET /changes start again, with after=now and then a listing.');
      },
    );

  const journal = program.command('journal').description('Manages the journal of changes (GET /changes).');
  journal
    .task(
      'renew',
      'Starts a new epoch of all journals: cursors of GET /changes expire. To be run once after a Postgres server was restored or moved, before the service starts.',
    )
    .option(
      '--moved',
      'the data were moved to another server without loss, after the old one had stopped: cursors stay valid',
    )
    .onDatabase(async ({ database, output }, { moved = false }: { moved?: boolean }) => {
      const tenants = await renewJournals(database, { moved });
      print(output, { tenants }, [`The journals of ${tenants} tenants ${moved ? 'go on here' : 'have a new epoch'}`]);
      if (!moved)
        output.note(
          'What was done after the backup to tokens (also those of the administration), API users and tenants is undone: revoke, disable and restrict them again, and remove the keys that were removed.',
        );
    });
};
