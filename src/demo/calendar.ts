/**
 * The busy times of employees, to avoid double bookings in the demo data.
 * Times are seconds since 1970.
 */
export interface Calendar {
  /** Whether no busy time of the employee overlaps the half-open interval. */
  isFree(employee: number, start: number, end: number): boolean;
  take(employee: number, start: number, end: number): void;
}

/** Creates an empty calendar. */
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
