import { CHANGES, SENDS } from '../spec/automation-extensions.ts';
import type { Facts } from '../spec/facts.ts';
import { resolveSchemas, type Schema } from '../spec/schema.ts';
import { header, print } from './print.ts';

interface ConfiguredEnum {
  readonly 'x-configurations': Readonly<Record<string, Schema>>;
  readonly 'x-triggers'?: Readonly<Record<string, readonly string[]>>;
  readonly [SENDS]?: Readonly<Record<string, object>>;
  readonly [CHANGES]?: Readonly<Record<string, readonly string[]>>;
}

/**
 * Returns generated/automations.ts.
 * The configuration schemas of automations, the triggers of each routine, and the resources that both need access
 * to.
 */
export const emitAutomations = ({ document }: Facts): string => {
  const { TriggerType: triggers, RoutineType: routines } = (document.components?.schemas ?? {}) as unknown as Partial<
    Record<string, ConfiguredEnum>
  >;
  if (!triggers || !routines) return `${header}\nexport {};\n`;
  const schemasOf = (configured: ConfiguredEnum) => resolveSchemas(document, configured['x-configurations']);
  return `${header}
/** The JSON Schema of each trigger's configuration, by trigger type. */
export const triggers = ${print(schemasOf(triggers), 0, 24)} as const;

/** The JSON Schema of each routine's configuration, by routine type. */
export const routines = ${print(schemasOf(routines), 0, 24)} as const;

/** The data of a sample of each trigger's webhook. */
export const samples = ${print(samplesOf(document), 0, 23)} as const;

/** The triggers that each routine can be combined with. */
export const triggersOf = ${print(routines['x-triggers'], 0, 26)} as const;

/** The resource that each trigger sends, or the member of its configuration and data that names it. */
export const sentBy = ${print(triggers[SENDS], 0, 22)} as const;

/** The resources whose records each routine changes. */
export const changedBy = ${print(routines[CHANGES], 0, 25)} as const;
`;
};

interface Webhook {
  readonly post: { readonly requestBody: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> } };
}

/** The data of the examples of the document's webhooks, by trigger type. */
const samplesOf = (document: Facts['document']): object => {
  const { webhooks = {} } = document as { webhooks?: Readonly<Record<string, Webhook>> };
  return Object.fromEntries(
    Object.entries(webhooks).map(([trigger, { post }]) => {
      const [message] = (post.requestBody.content['application/json']?.schema.examples ?? []) as { data: object }[];
      return [trigger, message?.data];
    }),
  );
};
