/** The extension of a trigger type: the resource whose records it sends, or the member of its configuration that names it. */
export const SENDS = 'x-sends';
/** The extension of a routine type: the resources whose records it changes. */
export const CHANGES = 'x-changes';
