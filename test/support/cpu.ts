/** Returns what gives the milliseconds of CPU that this process has used since: unlike the clock's, others on the machine add none. */
export const cpuOf = (): (() => number) => {
  const begun = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / 1000;
  };
};
