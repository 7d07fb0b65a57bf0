/** Returns a function that returns the CPU time, in milliseconds, used by this process since: independent of other load on the machine. */
export const cpuOf = (): (() => number) => {
  const begun = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / 1000;
  };
};
