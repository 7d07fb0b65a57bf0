import { Option } from 'commander';
import { fillDemoFiles } from '../demo/files.ts';
import { fillDemo } from '../demo/fill.ts';
import type { Size } from '../demo/scene.ts';
import { createFiles } from '../files/files.ts';
import type { CliCommand } from './cli.ts';
import { print } from './output.ts';

/** Adds the command `demo`. */
export const addDemoCommand = (program: CliCommand): void => {
  program
    .task('demo', 'Creates the tenant "demo" with sample data, for trying out the API.')
    .addOption(
      new Option('--size <size>', 'small: 6,000 assignments; large: 200,000')
        .choices(['small', 'large'])
        .default('small'),
    )
    .onDatabase(async ({ database, config: { baseDomain, files }, output }, { size }: { size: Size }) => {
      const started = performance.now();
      const demo = await fillDemo(database, { size, baseDomain });
      await fillDemoFiles(database, await createFiles(files), demo);
      const { tenant, apiUser, rows } = demo;
      const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      print(output, { tenant: tenant.slug, size, rows }, [
        `Tenant ${tenant.slug} has ${total} rows of sample data, including ${rows.assignments} assignments (${seconds} s)`,
      ]);
      output.note(`Next: npm run --silent staffing -- token issue ${tenant.slug} ${apiUser.name}`);
    });
};
