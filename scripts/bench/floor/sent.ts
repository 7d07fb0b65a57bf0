/** A statement to send: without a name it is planned for its values. */
export interface FloorStatement {
  readonly statement: string;
  readonly values: readonly (string | number)[];
  readonly unnamed?: true;
}

/** Returns a statement with the ids that were selected for it, as its second value; null: it has none. */
export const withKeys = (sent: FloorStatement, ids: readonly unknown[] | null): FloorStatement =>
  ids ? { ...sent, values: [...sent.values, `{${ids.join(',')}}`] } : sent;

/** Returns what makes one of each role, and finds it again. */
export const inRoles = <T>(make: (tenant: number | null) => T): ((tenant: number | null) => T) => {
  const made = new Map<number | null, T>();
  return tenant => {
    const known = made.get(tenant) ?? make(tenant);
    made.set(tenant, known);
    return known;
  };
};
