/** Who causes a change. The id is that of the API user or of the automation; null for the others. */
export interface Actor {
  readonly type: 'api_user' | 'automation' | 'administration' | 'system';
  readonly id: number | null;
}

/** What causes the changes of a transaction. */
export interface Origin {
  readonly by: Actor;
  /** The `X-Request-Id` of the request; null if there is none. */
  readonly requestId: string | null;
}

/** The service itself, such as its sweeper. */
export const system: Origin = { by: { type: 'system', id: null }, requestId: null };

/** The administration of the service, such as the command line. */
export const administration: Origin = { by: { type: 'administration', id: null }, requestId: null };
