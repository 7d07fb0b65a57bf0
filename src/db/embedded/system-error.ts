/** System errors of a disk by their numbers in WASI, in which PGlite reports them. */
const messages: ReadonlyMap<unknown, string> = new Map([
  [2, 'EACCES: permission denied'],
  [19, 'EDQUOT: disk quota exceeded'],
  [29, 'EIO: input/output error'],
  [51, 'ENOSPC: no space left on device'],
  [69, 'EROFS: read-only file system'],
]);

/** Returns what the thread of PGlite has thrown as an Error: its file system throws numbers. */
export const systemError = (thrown: unknown): Error => {
  if (thrown instanceof Error) return thrown;
  const { errno } = (thrown ?? {}) as { readonly errno?: unknown };
  return new Error(messages.get(errno) ?? `The embedded database has failed (${JSON.stringify(thrown)}).`);
};
