/** The extension of a trigger type: the resource that it sends, or the configuration's member with it. */
export const SENDS = 'x-sends';
/** The extension of a routine type: the resources whose records it changes. */
export const CHANGES = 'x-changes';
