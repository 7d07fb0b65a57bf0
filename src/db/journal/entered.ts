/** The server of a transaction, and the transaction's place in the order of that server. */
export interface Entered {
  /** The snapshot in which the transaction began, as text; what it reads is not older. */
  readonly snapshot: string;
  /** The server's system identifier and timeline; empty: it does not say (server.sql). */
  readonly server: string;
}

/** What `Entered` has: in the first statement that takes a snapshot. */
export const present = 'pg_current_snapshot(), server_identity()';

/** Returns the server of a transaction. @param result the last of `enterTenant` or `enterOwner` */
export const enteredOf = (result: { readonly rows: readonly (readonly (string | null)[])[] } | undefined): Entered => {
  const [snapshot, server] = result?.rows[0]?.slice(-2) ?? [];
  if (snapshot == null || server == null) throw new Error('The transaction does not know its server.');
  return { snapshot, server };
};

/** The statement that reads the same later in a transaction that does not read in one snapshot. */
export const presentStatement = { name: 'journal_present', text: `select ${present}`, values: [] };
