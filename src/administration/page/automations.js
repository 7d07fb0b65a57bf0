import { useState } from './hooks.js';
import { Badge, Button, Failure, html, Section, Table, time, useAction, useLoad } from './parts.js';

const statuses = { 1: 'pending', 2: 'succeeded', 3: 'failed' };

/** The deliveries of an automation. */
const Deliveries = ({ api, at, automation }) => {
  const { value, error, load } = useLoad(api, `${at}/${automation.id}/deliveries`);
  const { error: failure, run } = useAction(load);
  const replay = id => run(() => api('POST', `${at}/${automation.id}/deliveries/${id}/replay`));
  return html`<${Section} title=${`Deliveries of automation ${automation.id}`}>
    <${Failure} error=${error ?? failure} />
    <${Table} label="Deliveries" rows=${value} empty="There are no deliveries." columns=${[
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
  const { value, error } = useLoad(api, `${path}/automations`);
  const [chosen, choose] = useState(null);
  return html`<${Failure} error=${error} />
    ${
      !error &&
      html`<${Table} label="Automations" rows=${value} empty="There are no automations." columns=${[
        ['Id', ({ id }) => id],
        ['Trigger', ({ trigger_type }) => trigger_type],
        ['Routine', ({ routine_type }) => routine_type],
        ['Configuration', ({ routine_configuration }) => html`<code>${routine_configuration}</code>`, true],
        [
          'Acts for',
          ({ api_user_id, api_user }) => (api_user_id === null ? 'the administration' : `${api_user} (${api_user_id})`),
        ],
        ['Pending', ({ pending }) => pending],
        ['Succeeded', ({ succeeded }) => succeeded],
        ['Failed', ({ failed, last_error }) => (failed ? html`<span class="bad">${failed} (${last_error})</span>` : 0)],
        ['Last attempt', ({ last_attempt_at }) => time(last_attempt_at)],
      ]} actions=${automation => html`<${Button} onClick=${() => choose(automation)}>Deliveries<//>`} />`
    }
    ${chosen && html`<${Deliveries} key=${chosen.id} api=${api} at=${`${path}/automations`} automation=${chosen} />`}`;
};
