import { useState } from './hooks.js';
import { Badge, Button, Form, html, listOf, Secret, Section, Table, time, useLoad } from './parts.js';

const categories = ['pay', 'contact', 'personal', 'health', 'identity'].map(one => [one, one]);

const accessFields = user => [
  {
    name: 'scopes',
    label: 'Scopes',
    value: user?.scopes.join(' '),
    hint: 'For example clients:read events:write *:read. Empty: everything',
  },
  { name: 'hidden', label: 'Hidden categories', type: 'checks', options: categories, value: user?.hidden },
];

/** What an API user has sent. */
const Requests = ({ api, path, user }) => {
  const requests = useLoad(api, `${path}/api-users/${user.id}/requests?limit=200`);
  return html`<${Section} title=${`Requests of ${user.name}`}>
    <p class="muted">The last requests of seven days, without their values, ten seconds later at most. <${Button} onClick=${requests.load}>Refresh<//></p>
    <${Table} label="Requests" ...${requests} empty="There were none." columns=${[
      ['At', ({ at }) => time(at)],
      ['Status', ({ status }) => html`<${Badge} good=${status < 400}>${status}<//>`],
      ['Code', ({ code }) => code && html`<code>${code}</code>`],
      ['Method', ({ method }) => method],
      ['Path', ({ path }) => path, true],
      ['Operation', ({ operation }) => operation],
      ['Milliseconds', ({ milliseconds }) => milliseconds],
      ['Request id', ({ request_id }) => html`<code>${request_id}</code>`, true],
    ]} />
  <//>`;
};

/** API users of a tenant. */
export const Users = ({ api, path }) => {
  const users = useLoad(api, `${path}/api-users`);
  const [chosen, choose] = useState(null);
  const [issued, show] = useState(null);
  const create = async ({ scopes, ...rest }) => {
    await api('POST', `${path}/api-users`, { ...rest, scopes: listOf(scopes) });
    await users.load();
  };
  const update = async ({ scopes, hidden }) => {
    await api('PUT', `${path}/api-users/${chosen.user.id}`, { scopes: listOf(scopes), hidden });
    choose(null);
    await users.load();
  };
  const turn = ({ id }, name) => users.run(() => api('POST', `${path}/api-users/${id}/${name}`));
  const issue = async ({ expires_in }) => {
    show(await api('POST', `${path}/api-users/${chosen.user.id}/tokens`, expires_in ? { expires_in } : {}));
    choose(null);
  };
  return html`
    ${
      issued &&
      html`<${Secret} text=${issued.token} onClose=${() => show(null)}>
        Token of <strong>${issued.api_user}</strong>, valid until ${time(issued.expires_at)}. Copy it now: it cannot be shown again.
      <//>`
    }
    <${Table} label="API users" ...${users} empty="There are no API users." columns=${[
      ['Name', ({ name }) => name],
      [
        'Access',
        ({ scopes, read_only }) => (scopes.length > 0 ? scopes.join(', ') : read_only ? 'read' : 'everything'),
        true,
      ],
      ['Hidden', ({ hidden }) => hidden.join(', ') || '–'],
      ['Created', ({ created_at }) => time(created_at)],
      ['Status', ({ active }) => html`<${Badge} good=${active}>${active ? 'active' : 'disabled'}<//>`],
    ]} actions=${user => html`
      <${Button} kind="primary" onClick=${() => choose({ user, form: 'token' })}>Issue token<//>
      <${Button} onClick=${() => choose({ user, form: 'access' })}>Access<//>
      <${Button} onClick=${() => choose({ user, form: 'requests' })}>Requests<//>
      ${
        user.active
          ? html`<${Button} question=${`Reject all tokens of ${user.name}?`} onClick=${() => turn(user, 'disable')}>Disable<//>`
          : html`<${Button} onClick=${() => turn(user, 'enable')}>Enable<//>`
      }`} />
    ${
      chosen?.form === 'token' &&
      html`<h2>Token for ${chosen.user.name}</h2>
      <${Form} key=${`token ${chosen.user.id}`} submit="Issue" onSubmit=${issue} fields=${[
        {
          name: 'expires_in',
          label: 'Valid for',
          value: '90d',
          required: true,
          autofocus: true,
          hint: 'A number and m, h, d, w or y',
        },
      ]} />`
    }
    ${
      chosen?.form === 'access' &&
      html`<h2>Access of ${chosen.user.name}</h2>
      <${Form} key=${`access ${chosen.user.id}`} submit="Save" onSubmit=${update} fields=${accessFields(chosen.user)} />`
    }
    ${chosen?.form === 'requests' && html`<${Requests} key=${chosen.user.id} api=${api} path=${path} user=${chosen.user} />`}
    <h2>New API user</h2>
    <${Form} submit="Create API user" onSubmit=${create} fields=${[
      { name: 'name', label: 'Name', required: true, maxlength: 200 },
      ...accessFields(),
      { name: 'read_only', label: 'Read only', type: 'check' },
    ]} />`;
};

const isValid = ({ revoked_at, expires_at }) => revoked_at === null && new Date(expires_at) > new Date();

/** Tokens of a tenant's API users. */
export const Tokens = ({ api, path }) => {
  const { value, error, run } = useLoad(api, `${path}/tokens`);
  const revoke = jti => run(() => api('POST', `${path}/tokens/${jti}/revoke`));
  return html`
    <${Table} label="Tokens" value=${value?.toReversed() ?? value} error=${error} empty="There are no tokens." columns=${[
      ['API user', ({ api_user }) => api_user],
      ['Id', ({ jti }) => html`<code>${jti.slice(0, 8)}</code>`],
      ['Issued', ({ issued_at }) => time(issued_at)],
      ['Expires', ({ expires_at }) => time(expires_at)],
      ['Last used', ({ last_used_at }) => time(last_used_at)],
      [
        'Status',
        token =>
          html`<${Badge} good=${isValid(token)}>${token.revoked_at ? 'revoked' : isValid(token) ? 'valid' : 'expired'}<//>`,
      ],
    ]} actions=${({ jti, api_user, ...token }) =>
      isValid(token) &&
      html`<${Button} question=${`Revoke this token of ${api_user} permanently?`} onClick=${() => revoke(jti)}>Revoke<//>`} />`;
};
