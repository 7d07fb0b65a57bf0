import { useState } from './hooks.js';
import { Badge, Button, Failure, Form, html, listOf, Secret, Table, useLoad } from './parts.js';

const modules = ['availability', 'automations', 'billing', 'checkins', 'contracts', 'payroll', 'reports'];
const moduleField = { name: 'modules', label: 'Modules', type: 'checks', options: modules.map(one => [one, one]) };
const rateField = { name: 'rate_limit', label: 'Rate limit', type: 'number', min: 1 };
const rateOf = text => (text === '' ? null : Number(text));

/** The list of tenants. */
export const Tenants = ({ api, me }) => {
  const tenants = useLoad(api, '/tenants');
  const create = async ({ slug, name, hosts, rate_limit, ...rest }) => {
    const given = { slug, ...(name && { name }), hosts: listOf(hosts), rate_limit: rateOf(rate_limit), ...rest };
    await api('POST', '/tenants', given);
    await tenants.load();
  };
  return html`
    <${Table} label="Tenants" ...${tenants} columns=${[
      ['Tenant', ({ slug }) => html`<a href=${`#/tenants/${slug}/users`}>${slug}</a>`],
      ['Name', ({ name }) => name],
      ['Host names', ({ hosts }) => hosts.join(', '), true],
      ['Time zone', ({ time_zone }) => time_zone],
      ['Status', ({ active }) => html`<${Badge} good=${active}>${active ? 'active' : 'disabled'}<//>`],
    ]} />
    ${
      me.role === 'operator' &&
      html`<h2>New tenant</h2>
      <${Form} submit="Create tenant" onSubmit=${create} fields=${[
        {
          name: 'slug',
          label: 'Slug',
          required: true,
          pattern: '[a-z0-9]([a-z0-9\\-]{0,61}[a-z0-9])?',
          hint: 'For example acme-events',
        },
        { name: 'name', label: 'Name', hint: 'Default: the slug' },
        { name: 'hosts', label: 'More host names', hint: 'Separated by commas' },
        { name: 'time_zone', label: 'Time zone', value: 'Europe/Berlin' },
        { ...rateField, hint: 'Default: that of the service' },
        { ...moduleField, value: modules },
      ]} />`
    }`;
};

/** Name, host names, modules and limits of a tenant, and the secret of its webhooks. */
export const Settings = ({ api, me, path }) => {
  const { value: tenant, error, load, run } = useLoad(api, path);
  const [secret, show] = useState(null);
  if (!tenant) return error ? html`<${Failure} error=${error} />` : html`<p aria-busy="true">Loading…</p>`;
  const isOperator = me.role === 'operator';
  const update = async ({ name, time_zone, hosts, rate_limit, modules }) => {
    const more = isOperator ? { hosts: listOf(hosts), rate_limit: rateOf(rate_limit), modules } : {};
    await api('PUT', path, { name, time_zone, ...more });
    await load();
  };
  const turn = name => run(() => api('POST', `${path}/${name}`));
  const reveal = (method, end) => run(async () => show((await api(method, `${path}/webhook-secret${end}`)).secret));
  const own = [
    { name: 'name', label: 'Name', value: tenant.name, required: true },
    { name: 'time_zone', label: 'Time zone', value: tenant.time_zone, required: true },
  ];
  const more = [
    {
      name: 'hosts',
      label: 'More host names',
      value: tenant.hosts.slice(1).join(', '),
      hint: `In addition to ${tenant.hosts[0]}`,
    },
    { ...rateField, value: tenant.rate_limit, hint: 'Empty: that of the service' },
    { ...moduleField, value: tenant.modules },
  ];
  return html`<${Form} submit="Save" keep onSubmit=${update} fields=${isOperator ? [...own, ...more] : own} />
    <${Failure} error=${error} />
    <h2>Webhook secret</h2>
    ${secret && html`<${Secret} text=${secret} onClose=${() => show(null)}>Receivers verify webhooks with this secret.<//>`}
    <${Button} onClick=${() => reveal('GET', '')}>Show<//>
    <${Button} onClick=${() => reveal('POST', '/rotate')} question="Replace the secret? The old one is valid for another day.">Replace<//>
    ${
      isOperator &&
      html`<h2>Service</h2>
      <p>The tenant is <${Badge} good=${tenant.active}>${tenant.active ? 'active' : 'disabled'}<//>
      ${
        tenant.active
          ? html`<${Button} onClick=${() => turn('disable')} question="Stop serving this tenant? Its data are kept.">Disable<//>`
          : html`<${Button} onClick=${() => turn('enable')}>Enable<//>`
      }</p>`
    }`;
};
