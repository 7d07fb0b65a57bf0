/**
 * Sends a signal to a process.
 * @returns false: it has ended since it was listed, as processes of Postgres do at any time
 */
export const signalTo = (pid: number, signal: NodeJS.Signals): boolean => {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
};
