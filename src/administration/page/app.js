import { createApi, Rejected } from './api.js';
import { Automations } from './automations.js';
import { Collections } from './collections.js';
import { Fields } from './fields.js';
import { useEffect, useRef, useState } from './hooks.js';
import { Button, Failure, html, useAction } from './parts.js';
import { render } from './preact.js';
import { Log, Refused, Usage } from './requests.js';
import { Settings, Tenants } from './tenants.js';
import { Tokens, Users } from './users.js';

const tabs = [
  ['users', 'API users', Users],
  ['tokens', 'Tokens', Tokens],
  ['settings', 'Settings', Settings],
  ['fields', 'Fields', Fields],
  ['collections', 'Collections', Collections],
  ['automations', 'Automations', Automations],
  ['usage', 'Usage', Usage],
  ['refused', 'Rejected requests', Refused],
];

const routeOf = () => location.hash.slice(1).split('/').filter(Boolean).map(decodeURIComponent);

const useRoute = () => {
  const [route, set] = useState(routeOf());
  useEffect(() => {
    const follow = () => set(routeOf());
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return route;
};

/** Signs in with the kept token. */
const Return = ({ token, onToken, onRejected }) => {
  const { error, run } = useAction();
  const [tries, retry] = useState(0);
  useEffect(() => {
    void run(async () => {
      const me = await createApi(token)('GET', '/me').catch(problem => {
        if (problem.status !== 401) throw problem;
        onRejected(problem.message);
      });
      if (me) onToken(token, me);
    });
  }, [tries]);
  if (!error) return html`<main><p aria-busy="true">Loading…</p></main>`;
  return html`<main>
    <${Failure} error=${{ message: error.message, retry: () => retry(tries + 1) }} />
    <${Button} onClick=${() => onRejected(null)}>Sign out<//>
  </main>`;
};

const SignIn = ({ onToken, message }) => {
  const { error, busy, run } = useAction();
  const send = event => {
    event.preventDefault();
    const token = event.currentTarget.elements.token.value.trim();
    void run(async () => onToken(token, await createApi(token)('GET', '/me')));
  };
  return html`<main><form class="sign-in" onSubmit=${send}>
    <h1>Staffing administration</h1>
    <${Failure} error=${error ?? (message && { message })} />
    <label>Administration token
      <input name="token" type="password" required autofocus autocomplete="off" spellcheck="false" />
      <small>Issued by <code>staffing administration-token issue "name"</code>. It is kept in this tab, until you sign out or close it.</small>
    </label>
    <button type="submit" aria-busy=${busy}>Sign in</button>
  </form></main>`;
};

/** A page with a heading that has the focus, so that a keyboard or a screen reader goes on from there. */
const Page = ({ title, children }) => {
  const heading = useRef(null);
  useEffect(() => {
    document.title = `${title} – Staffing administration`;
    heading.current?.focus();
  }, [title]);
  return html`<h1 tabindex="-1" ref=${heading}>${title}</h1>${children}`;
};

const Tenant = ({ api, me, slug, tab }) => {
  const [, , View] = tabs.find(([name]) => name === tab) ?? tabs[0];
  const path = `/tenants/${encodeURIComponent(slug)}`;
  return html`<${Page} title=${slug}>
    <nav class="tabs" aria-label="Tenant">
      ${tabs.map(
        ([name, label, Other]) => html`<a key=${name} href=${`#/tenants/${encodeURIComponent(slug)}/${name}`}
          aria-current=${Other === View ? 'page' : undefined}>${label}</a>`,
      )}
    </nav>
    <${View} key=${`${slug} ${tab}`} api=${api} me=${me} path=${path} />
  <//>`;
};

const App = () => {
  const [session, set] = useState(null);
  const [message, say] = useState(null);
  const [section, slug, tab] = useRoute();
  const end = reason => {
    sessionStorage.removeItem('token');
    set(null);
    say(reason);
  };
  if (!session) {
    const start = (token, me) => {
      // Stays when the page is loaded again. Not a cookie, which other ports of this host would receive too.
      // The page's policy allows no script but its own to read it.
      sessionStorage.setItem('token', token);
      const send = createApi(token);
      const api = async (...request) => {
        try {
          return await send(...request);
        } catch (error) {
          if (error instanceof Rejected && error.status === 401) end(error.message);
          throw error;
        }
      };
      say(null);
      set({ api, me });
      if (me.tenant !== null && section !== 'tenants') location.hash = `#/tenants/${me.tenant}/users`;
    };
    const token = sessionStorage.getItem('token');
    return token === null
      ? html`<${SignIn} onToken=${start} message=${message} />`
      : html`<${Return} token=${token} onToken=${start} onRejected=${end} />`;
  }
  const { api, me } = session;
  const view =
    section === 'log'
      ? html`<${Page} title="Administration log"><${Log} api=${api} /><//>`
      : section === 'tenants' && slug
        ? html`<${Tenant} api=${api} me=${me} slug=${slug} tab=${tab} />`
        : html`<${Page} title="Tenants"><${Tenants} api=${api} me=${me} /><//>`;
  return html`
    <header>
      <strong>Staffing administration</strong>
      <a href="#/">Tenants</a>
      ${me.role === 'operator' && html`<a href="#/log">Log</a>`}
      <span class="muted">${me.name}</span>
      <button type="button" class="small secondary outline" onClick=${() => end(null)}>Sign out</button>
    </header>
    <main>${view}</main>`;
};

render(html`<${App} />`, document.body);
