/** An object of the document. */
export type Members = Readonly<Record<string, unknown>>;

/** Returns an object with its members mapped, without those that become undefined. */
export const mapMembers = <T>(
  object: Readonly<Record<string, T>>,
  map: (member: T, name: string) => unknown,
): Members =>
  Object.fromEntries(
    Object.entries(object).flatMap(([name, member]) => {
      const mapped = map(member, name);
      return mapped === undefined ? [] : [[name, mapped]];
    }),
  );
