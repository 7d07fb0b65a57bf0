import { routines, triggers, triggersOf } from '../../../generated/automations.ts';
import { type FieldError, fieldError } from '../../core/errors.ts';
import { markInexactNumbers } from '../../core/json/strict.ts';
import { atOnce } from '../../core/turns.ts';
import { ajv, type ErrorObject } from '../../core/validator.ts';
import { toFieldErrors } from '../../core/violations.ts';

export type TriggerType = keyof typeof triggers;
export type RoutineType = keyof typeof routines;

/** A valid configuration of a trigger; each type has some of the members. */
export interface TriggerConfiguration {
  readonly to?: readonly number[];
  readonly type?: readonly (number | string)[];
  readonly severity?: readonly string[];
  readonly kind?: readonly string[];
  readonly minutes?: number;
}

/** The types and configurations of an automation record; configurations are JSON strings. */
export interface AutomationTexts {
  readonly trigger_type: string;
  readonly trigger_configuration: string;
  readonly routine_type: string;
  readonly routine_configuration: string;
}

/** Returns the errors of an automation whose types are known and whose configurations are valid JSON. */
export const checkAutomation = (automation: AutomationTexts): readonly FieldError[] => {
  const { trigger_type, routine_type, trigger_configuration, routine_configuration } = automation;
  const possible: readonly string[] = triggersOf[routine_type as RoutineType];
  const message = `routine_type: ${routine_type} requires the trigger ${possible.join(' or ')}, not ${trigger_type}.`;
  return [
    ...(possible.includes(trigger_type) ? [] : [fieldError('not_in_enumeration', 'routine_type', message)]),
    ...checkText('trigger_configuration', triggers[trigger_type as TriggerType], trigger_configuration),
    ...checkText('routine_configuration', routines[routine_type as RoutineType], routine_configuration),
    ...(routine_type === 'webhook.post' ? checkUrl(routine_configuration) : []),
  ];
};

/** The host that an automation's webhooks are sent to, in lower case; null: it sends none. */
export const targetOf = ({ routine_type, routine_configuration }: AutomationTexts): string | null =>
  routine_type === 'webhook.post' ? new URL(JSON.parse(routine_configuration).url).hostname : null;

/** Ajv caches the compiled schema by identity. */
const checkText = (field: string, schema: object, text: string): readonly FieldError[] => {
  const validate = ajv.compile(schema);
  if (validate(JSON.parse(atOnce(markInexactNumbers(text))))) return [];
  // Ajv reports an invalid member name twice; this one lacks the reason.
  const found = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'propertyNames').map(atName);
  return toFieldErrors(found).map(({ code, field: member, message }) => {
    const place = member === '' ? field : `${field}.${member}`;
    return fieldError(code, field, `${place}: ${message}`);
  });
};

/** Reports an error of a member's name at the path of that member. */
const atName = (violation: ErrorObject): ErrorObject =>
  violation.propertyName === undefined
    ? violation
    : {
        ...violation,
        instancePath: `${violation.instancePath}/${violation.propertyName.replaceAll(/[~/]/g, '_').slice(0, 64)}`,
      };

/** Checks a URL beyond the pattern of its schema. */
const checkUrl = (text: string): readonly FieldError[] => {
  const { url } = (JSON.parse(text) ?? {}) as { url?: unknown };
  if (typeof url !== 'string' || !/^https?:/.test(url) || URL.canParse(url)) return [];
  return [fieldError('invalid_format', 'routine_configuration', 'routine_configuration.url: a URL is expected.')];
};

/** Returns whether an occurrence matches the configuration; time-based triggers are selected elsewhere. */
export const wants = (
  type: TriggerType,
  { to, type: types, severity, kind }: TriggerConfiguration,
  data: Readonly<Record<string, unknown>>,
): boolean => {
  if (type === 'assignment.status_changed') return to?.includes(Number(data.to)) ?? true;
  if (type === 'checkin.created') return types?.includes(Number(data.type)) ?? true;
  if (type === 'conflict.opened')
    return [
      [types, data.type],
      [severity, data.severity],
      [kind, data.kind],
    ].every(([wanted, value]) => wanted === undefined || (wanted as readonly unknown[]).includes(value));
  return true;
};
