import { pathToFileURL } from 'node:url';
import { type Api, compareApis, readGenerated, readPublished } from './published.ts';
import { compareVersions, lowestVersion } from './version.ts';

/**
 * Returns why an API may not follow the published version; otherwise nothing.
 * The reasons are breaking changes without a new major version.
 */
export const problemsOf = (published: Api, now: Api): readonly string[] => {
  const breaking = compareApis(published, now).filter(finding => finding.breaking);
  const [before, version] = [published.document.info.version, now.document.info.version];
  const lowest = lowestVersion(before, breaking);
  if (breaking.length === 0 || compareVersions(version, lowest) >= 0) return [];
  return [
    ...breaking.map(({ where, what }) => `${where}: ${what}`),
    `These changes break clients of the published version ${before}: set the version in spec/main.tsp to ${lowest} or higher, or, as long as`,
    'nobody uses the published version, replace it with `npm run publish:openapi -- --replace`.',
  ];
};

const main = (): number => {
  const published = readPublished();
  const problems = published ? problemsOf(published, readGenerated()) : [];
  for (const problem of problems) console.error(problem);
  return problems.length === 0 ? 0 : 1;
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exitCode = main();
