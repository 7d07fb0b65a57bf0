import { useState } from './hooks.js';
import { Form, html } from './parts.js';
import { choicesOf, fieldsOf, objectOf } from './schema.js';

const schemaOf = (document, name) => document.components.schemas[`Staffing.${name}`];

/** Returns the title of a trigger or routine. */
export const titleOf = (document, name, type) =>
  choicesOf(schemaOf(document, name)).find(([value]) => value === type)?.[1] ?? type;

/** Returns the fields of a trigger's or routine's configuration, with its present values if it is that of an automation. */
const configurationFields = (document, name, type, automation) => {
  const part = name === 'TriggerType' ? 'trigger' : 'routine';
  const values = automation?.[`${part}_type`] === type ? JSON.parse(automation[`${part}_configuration`]) : {};
  return fieldsOf(document, schemaOf(document, name)['x-configurations'][type], { values, prefix: `${part}.` });
};

/** A select that other fields of the form depend on. */
const selectOf = (options, value, choose) => ({
  type: 'select',
  options,
  value,
  onChange: ({ currentTarget }) => choose(currentTarget.value),
});

/** The form of an automation, from the schemas of its trigger and routine. `automation` is the one that is changed. */
export const AutomationForm = ({ document, users, automation, submit, onSubmit }) => {
  const triggers = choicesOf(schemaOf(document, 'TriggerType'));
  const [trigger, setTrigger] = useState(automation?.trigger_type ?? triggers[0][0]);
  const [wanted, setRoutine] = useState(automation?.routine_type);
  const possible = schemaOf(document, 'RoutineType')['x-triggers'];
  const routines = choicesOf(schemaOf(document, 'RoutineType')).filter(([type]) => possible[type].includes(trigger));
  const [routine] = routines.find(([type]) => type === wanted) ?? routines[0];
  const ofTrigger = configurationFields(document, 'TriggerType', trigger, automation);
  const ofRoutine = configurationFields(document, 'RoutineType', routine, automation);
  const fields = [
    { name: 'trigger_type', label: 'When', ...selectOf(triggers, trigger, setTrigger) },
    ...ofTrigger,
    { name: 'routine_type', label: 'Then', ...selectOf(routines, routine, setRoutine) },
    ...ofRoutine,
    {
      name: 'api_user_id',
      label: 'Acts for',
      type: 'select',
      required: true,
      options: [['', '–'], ...users.filter(({ active }) => active).map(({ id, name }) => [String(id), name])],
      value: String(automation?.api_user_id ?? ''),
      hint: 'An API user with access to what it sends and changes',
    },
  ];
  const send = given =>
    onSubmit({
      trigger_type: trigger,
      trigger_configuration: JSON.stringify(objectOf(ofTrigger, given)),
      routine_type: routine,
      routine_configuration: JSON.stringify(objectOf(ofRoutine, given)),
      api_user_id: Number(given.api_user_id),
    });
  return html`<${Form} submit=${submit} onSubmit=${send} fields=${fields} keep />`;
};
