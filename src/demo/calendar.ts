/**
 * The busy times of employees, to avoid double bookings in the demo data.
 * Times are seconds since 1970.
 */
export class Calendar {
  readonly #taken = new Map<number, [start: number, end: number][]>();

  /** Whether no busy time of the employee overlaps the half-open interval. */
  isFree(employee: number, start: number, end: number): boolean {
    return !this.#taken.get(employee)?.some(entry => entry[0] < end && start < entry[1]);
  }

  take(employee: number, start: number, end: number): void {
    this.#taken.set(employee, [...(this.#taken.get(employee) ?? []), [start, end]]);
  }
}
