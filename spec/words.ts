/** `EventFunction` → `event function`. */
export const words = (name: string): string => name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();

/** `event` → `an event`. */
export const article = (noun: string): string => `${/^[aeio]/.test(noun) ? 'an' : 'a'} ${noun}`;

/** `event-functions` → `eventFunctions`. */
export const camel = (name: string): string => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());

/** `EventFunction` → `event-function`. */
export const kebab = (name: string): string => words(name).replaceAll(' ', '-');

/** `statusMap` → `status_map`. */
export const snake = (name: string): string => words(name).replaceAll(' ', '_');

/** `event-function` → `EventFunction`. */
export const pascal = (name: string): string =>
  name.replace(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());
