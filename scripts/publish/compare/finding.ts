/** A difference between two versions of the API. */
export interface ApiChange {
  /** Whether a program that works with the old version can fail with the new one. */
  readonly breaking: boolean;
  /** The operation, schema or resource, and the place in it. */
  readonly where: string;
  readonly what: string;
}

/** Returns a finding that breaks programs. */
export const breaks = (where: string, what: string): ApiChange => ({ breaking: true, where, what });

/** Returns a finding that existing programs do not notice. */
export const allows = (where: string, what: string): ApiChange => ({ breaking: false, where, what });

/** Returns what `compare` finds in shared members, and what `removed` and `added` for the others. */
export const compareMembers = <T>(
  old: Readonly<Record<string, T>>,
  now: Readonly<Record<string, T>>,
  {
    both,
    removed,
    added,
  }: {
    readonly both: (old: T, now: T, name: string) => readonly ApiChange[];
    readonly removed: (name: string, old: T) => readonly ApiChange[];
    readonly added: (name: string, now: T) => readonly ApiChange[];
  },
): readonly ApiChange[] => [
  ...Object.entries(old).flatMap(([name, member]) =>
    Object.hasOwn(now, name) ? both(member, now[name] as T, name) : removed(name, member),
  ),
  ...Object.entries(now).flatMap(([name, member]) => (Object.hasOwn(old, name) ? [] : added(name, member))),
];
