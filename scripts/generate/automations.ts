import { resolveSchema, type Schema } from './document.ts';
import type { Facts } from './facts.ts';
import { header, print } from './print.ts';

interface ConfiguredEnum {
  readonly 'x-configurations': Readonly<Record<string, Schema>>;
  readonly 'x-triggers'?: Readonly<Record<string, readonly string[]>>;
}

/** generated/automations.ts: what the configurations of automations look like, and which routine goes with which trigger. */
export const emitAutomations = ({ document }: Facts): string => {
  const { TriggerType: triggers, RoutineType: routines } = (document.components?.schemas ?? {}) as unknown as Partial<
    Record<string, ConfiguredEnum>
  >;
  if (!triggers || !routines) return `${header}\nexport {};\n`;
  const schemasOf = (configured: ConfiguredEnum) =>
    Object.fromEntries(
      Object.entries(configured['x-configurations']).map(([type, schema]) => [
        type,
        bare(resolveSchema(document, schema)),
      ]),
    );
  return `${header}
/** The JSON Schema of each trigger's configuration. */
export const triggers = ${print(schemasOf(triggers), 0, 24)} as const;

/** The JSON Schema of each routine's configuration. */
export const routines = ${print(schemasOf(routines), 0, 24)} as const;

/** The triggers that each routine goes with. */
export const triggersOf = ${print(routines['x-triggers'], 0, 26)} as const;
`;
};

/** Without extensions. */
const bare = (schema: Schema): unknown =>
  JSON.parse(JSON.stringify(schema, (key, value) => (key.startsWith('x-') ? undefined : value)));
