import { pathToFileURL } from 'node:url';
import { type Api, compareApis, readGenerated, readPublished } from './published.ts';
import { compareVersions, lowestVersion } from './version.ts';

/**
 * Returns why an API may not follow the published version; otherwise nothing.
 * The reason is a version that is too low for what has changed; descriptions need one of their own, too.
 */
export const problemsOf = (published: Api, now: Api): readonly string[] => {
  const [before, version] = [published.document.info.version, now.document.info.version];
  if (version === before && now.digest === published.digest) return [];
  const findings = compareApis(published, now);
  const lowest = lowestVersion(before, findings);
  if (compareVersions(version, lowest) >= 0) return [];
  const breaking = findings.filter(finding => finding.breaking);
  return [
    ...(breaking.length > 0 ? breaking : findings).map(({ where, what }) => `${where}: ${what}`),
    `The document differs from the published ${before}, and has version ${version}; what has changed needs ${lowest} or higher. Set it with`,
    `\`npm version ${lowest} --no-git-tag-version && npm run generate\`, and begin its section in CHANGELOG.md. As long as nobody uses`,
    'the published version, `npm run publish:openapi -- --replace` replaces it instead.',
  ];
};

const main = (): number => {
  const published = readPublished();
  const problems = published ? problemsOf(published, readGenerated()) : [];
  for (const problem of problems) console.error(problem);
  return problems.length === 0 ? 0 : 1;
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exitCode = main();
