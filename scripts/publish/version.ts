import type { ApiChange } from './compare/finding.ts';

type Version = readonly [major: number, minor: number, patch: number];

const parse = (version: string): Version => {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  return [major, minor, patch];
};

/** Returns a negative number if the first version is the lower one, 0 if they are equal. */
export const compareVersions = (left: string, right: string): number => {
  const [a, b] = [parse(left), parse(right)];
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
};

/** Returns the lowest version (semver) for an API with these differences to a published version. */
export const lowestVersion = (published: string, findings: readonly ApiChange[]): string => {
  const [major, minor, patch] = parse(published);
  if (findings.some(({ breaking }) => breaking)) return `${major + 1}.0.0`;
  return findings.length > 0 ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
};
