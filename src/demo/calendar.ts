/** Which employees are taken when: keeps the invented data free of double bookings. Times are seconds since 1970. */
export interface Calendar {
  /** Whether nothing of the employee overlaps the half-open interval. */
  isFree(employee: number, start: number, end: number): boolean;
  take(employee: number, start: number, end: number): void;
}

/** A calendar without entries. */
export const createCalendar = (): Calendar => {
  const taken = new Map<number, [start: number, end: number][]>();
  return {
    isFree: (employee, start, end) => !taken.get(employee)?.some(entry => entry[0] < end && start < entry[1]),
    take: (employee, start, end) => {
      const entries = taken.get(employee);
      if (entries) entries.push([start, end]);
      else taken.set(employee, [[start, end]]);
    },
  };
};
