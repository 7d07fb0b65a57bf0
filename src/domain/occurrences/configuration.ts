import { routines, triggers, triggersOf } from '../../../generated/automations.ts';
import { type FieldError, fieldError } from '../../core/errors.ts';
import { ajv, type ErrorObject } from '../../core/validator.ts';
import { toFieldErrors } from '../../core/violations.ts';

export type TriggerType = keyof typeof triggers;
export type RoutineType = keyof typeof routines;

/** A configuration as its schema leaves it; nothing is said of members that the type does not have. */
export interface TriggerConfiguration {
  readonly to?: readonly number[];
  readonly type?: readonly number[];
  readonly minutes?: number;
}

/** An automation as its resource has it. */
export interface AutomationTexts {
  readonly trigger_type: string;
  readonly trigger_configuration: string;
  readonly routine_type: string;
  readonly routine_configuration: string;
}

/** Everything that is wrong with an automation whose types are known and whose texts are JSON. */
export const checkAutomation = (automation: AutomationTexts): readonly FieldError[] => {
  const { trigger_type, routine_type, trigger_configuration, routine_configuration } = automation;
  const possible: readonly string[] = triggersOf[routine_type as RoutineType];
  return [
    ...(possible.includes(trigger_type)
      ? []
      : [
          fieldError(
            'not_in_enumeration',
            'routine_type',
            `routine_type: ${routine_type} goes with ${possible.join(' and ')}, not with ${trigger_type}.`,
          ),
        ]),
    ...checkText('trigger_configuration', triggers[trigger_type as TriggerType], trigger_configuration),
    ...checkText('routine_configuration', routines[routine_type as RoutineType], routine_configuration),
    ...(routine_type === 'webhook.post' ? checkAddress(routine_configuration) : []),
  ];
};

/** Each schema is compiled once: Ajv knows it by its identity. */
const checkText = (field: string, schema: object, text: string): readonly FieldError[] => {
  const validate = ajv.compile(schema);
  if (validate(JSON.parse(text))) return [];
  // Of a name that is not allowed Ajv tells twice, once without saying what is wrong with it.
  const found = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'propertyNames').map(atName);
  return toFieldErrors(found).map(({ code, field: member, message }) => {
    const place = member === '' ? field : `${field}.${member}`;
    return fieldError(code, field, `${place}: ${message}`);
  });
};

/** What is wrong with a name is told of the member that has it. */
const atName = (violation: ErrorObject): ErrorObject =>
  violation.propertyName === undefined
    ? violation
    : {
        ...violation,
        instancePath: `${violation.instancePath}/${violation.propertyName.replaceAll(/[~/]/g, '_').slice(0, 64)}`,
      };

/** What no pattern tells. */
const checkAddress = (text: string): readonly FieldError[] => {
  const { url } = (JSON.parse(text) ?? {}) as { url?: unknown };
  if (typeof url !== 'string' || !/^https?:/.test(url) || URL.canParse(url)) return [];
  return [
    fieldError('invalid_format', 'routine_configuration', 'routine_configuration.url: an address (URL) is expected.'),
  ];
};

/** Whether an occurrence is one that the configuration wants; times are looked at where they are found. */
export const wants = (
  type: TriggerType,
  { to, type: types }: TriggerConfiguration,
  data: Readonly<Record<string, unknown>>,
): boolean => {
  if (type === 'assignment.status_changed') return to?.includes(Number(data.to)) ?? true;
  if (type === 'checkin.created') return types?.includes(Number(data.type)) ?? true;
  return true;
};
