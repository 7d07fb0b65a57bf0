import { useState } from './hooks.js';
import { Badge, Button, html, Table, time, useLoad } from './parts.js';

/** The usage of a tenant's API users. */
export const Usage = ({ api, path }) => {
  const usage = useLoad(api, `${path}/usage`);
  return html`<p class="muted">Requests per day (UTC) of the last 30 days.</p>
    <${Table} label="Usage" ...${usage} empty="There were no requests." columns=${[
      ['Day', ({ day }) => day],
      ['API user', ({ api_user, api_user_id }) => api_user ?? api_user_id],
      ['Operations', row => row.class],
      ['Requests', ({ requests }) => requests.toLocaleString()],
      ['Rejected', ({ refused }) => (refused ? html`<span class="bad">${refused.toLocaleString()}</span>` : 0)],
    ]} />`;
};

/** The last requests that were rejected. */
export const Refused = ({ api, path }) => {
  const refused = useLoad(api, `${path}/refused-requests?limit=200`);
  return html`<p class="muted">Requests of the last seven days with a status from 400, without their values.
      <${Button} onClick=${refused.load}>Refresh<//></p>
    <${Table} label="Rejected requests" ...${refused} empty="There were none." columns=${[
      ['At', ({ at }) => time(at)],
      ['Status', ({ status }) => status],
      ['Code', ({ code }) => html`<code>${code ?? '–'}</code>`],
      ['Operation', ({ operation }) => operation],
      ['API user', ({ api_user }) => api_user],
      ['Request id', ({ request_id }) => html`<code>${request_id}</code>`, true],
    ]} />`;
};

/** What administrators have done. */
export const Log = ({ api }) => {
  const [before, go] = useState(null);
  const log = useLoad(api, `/log?limit=100${before ? `&before=${before}` : ''}`);
  return html`
    <${Table} label="Administration log" ...${log} columns=${[
      ['At', ({ at }) => time(at)],
      ['Administrator', ({ administrator }) => administrator],
      ['Operation', ({ operation }) => operation],
      ['Tenant', ({ tenant }) => tenant],
      ['Target', ({ target }) => target, true],
      ['Status', ({ status }) => html`<${Badge} good=${status !== null && status < 400}>${status ?? 'unknown'}<//>`],
      ['Address', ({ address }) => address],
    ]} />
    ${before && html`<${Button} onClick=${() => go(null)}>Newest<//>`}
    ${log.value?.length === 100 && html`<${Button} onClick=${() => go(log.value.at(-1).id)}>Older<//>`}`;
};
