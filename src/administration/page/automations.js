import { AutomationForm, titleOf } from './automation-form.js';
import { useState } from './hooks.js';
import { Badge, Button, Failure, failureOf, html, Section, Table, time, useAction, useLoad } from './parts.js';

const statuses = { 1: 'pending', 2: 'succeeded', 3: 'failed' };

/** The deliveries of an automation. */
const Deliveries = ({ api, at, automation }) => {
  const deliveries = useLoad(api, `${at}/${automation.id}/deliveries`);
  const replay = id => deliveries.run(() => api('POST', `${at}/${automation.id}/deliveries/${id}/replay`));
  return html`<${Section} title=${`Deliveries of automation ${automation.id}`}>
    <${Table} label="Deliveries" ...${deliveries} empty="There are no deliveries." columns=${[
      ['Id', ({ id }) => id],
      ['Event', ({ event_type }) => event_type],
      ['Created', ({ created_at }) => time(created_at)],
      ['Status', ({ status }) => html`<${Badge} good=${status !== 3}>${statuses[status]}<//>`],
      ['Attempts', ({ attempt }) => attempt],
      ['Response', ({ response_status, error: reason }) => [response_status, reason].filter(Boolean).join(' ') || '–'],
      ['Next attempt', ({ next_attempt_at }) => time(next_attempt_at)],
      ['Repeats', ({ replay_of }) => replay_of],
    ]} actions=${
      automation.routine_type === 'webhook.post' &&
      (({ id }) => html`<${Button} onClick=${() => replay(id)}>Send again<//>`)
    } />
  <//>`;
};

/** The automations of a tenant with their failures. */
export const Automations = ({ api, path }) => {
  const automations = useLoad(api, `${path}/automations`);
  const schemas = useLoad(api, '/openapi.json');
  const users = useLoad(api, `${path}/api-users`);
  const { error: failure, run } = useAction();
  const [chosen, choose] = useState(null);
  const [created, count] = useState(0);
  const at = `${path}/automations`;
  const write = async (method, path, body) => {
    await api(method, path, body);
    choose(null);
    count(created + 1);
    await automations.load();
  };
  const titled = (name, type) => (schemas.value ? titleOf(schemas.value, name, type) : type);
  const formOf = properties =>
    schemas.value &&
    users.value &&
    html`<${AutomationForm} document=${schemas.value} users=${users.value} ...${properties} />`;
  return html`<${Failure} error=${failureOf(automations, schemas, users) ?? failure} />
    <${Table} label="Automations" value=${automations.value} empty="There are no automations." columns=${[
      ['Id', ({ id }) => id],
      ['When', ({ trigger_type }) => titled('TriggerType', trigger_type)],
      ['Then', ({ routine_type }) => titled('RoutineType', routine_type)],
      ['Configuration', ({ routine_configuration }) => html`<code>${routine_configuration}</code>`, true],
      [
        'Acts for',
        ({ api_user_id, api_user }) => (api_user_id === null ? 'the administration' : `${api_user} (${api_user_id})`),
      ],
      ['Pending', ({ pending }) => pending],
      ['Succeeded', ({ succeeded }) => succeeded],
      ['Failed', ({ failed, last_error }) => (failed ? html`<span class="bad">${failed} (${last_error})</span>` : 0)],
      ['Last attempt', ({ last_attempt_at }) => time(last_attempt_at)],
    ]} actions=${automation => html`<${Button} onClick=${() => choose({ automation, part: 'deliveries' })}>Deliveries<//>
      <${Button} onClick=${() => choose({ automation, part: 'form' })}>Change<//>
      <${Button} question=${`Delete automation ${automation.id} with its deliveries?`}
        onClick=${() => run(() => write('DELETE', `${at}/${automation.id}`))}>Delete<//>`} />
    ${
      chosen?.part === 'deliveries' &&
      html`<${Deliveries} key=${chosen.automation.id} api=${api} at=${at} automation=${chosen.automation} />`
    }
    ${
      chosen?.part === 'form' &&
      html`<${Section} title=${`Automation ${chosen.automation.id}`}>
        ${formOf({
          key: chosen.automation.id,
          automation: chosen.automation,
          submit: 'Save',
          onSubmit: body => write('PUT', `${at}/${chosen.automation.id}`, body),
        })}
      <//>`
    }
    <h2>New automation</h2>
    ${formOf({ key: `new ${created}`, submit: 'Create automation', onSubmit: body => write('POST', at, body) })}`;
};
