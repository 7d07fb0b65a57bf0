/** What is printed if a signal stops the server before it serves requests. */
export const stoppedEarly = 'Stopped before the start was complete. The next start completes it.\n';
