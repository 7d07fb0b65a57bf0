import { useCallback, useEffect, useRef, useState } from './hooks.js';
import htm from './htm.js';
import { h } from './preact.js';

export const html = htm.bind(h);

/**
 * Returns the value of a GET request, its failure, a function that reads it again, and one that acts before that.
 * The value is undefined while it is being read, and null if that has failed.
 */
export const useLoad = (api, path) => {
  const [state, set] = useState({ value: undefined, error: null });
  const load = useCallback(async () => {
    set(({ value }) => ({ value: value ?? undefined, error: null }));
    try {
      set({ value: await api('GET', path), error: null });
    } catch ({ message }) {
      set(({ value = null }) => ({ value, error: { message, retry: load } }));
    }
  }, [api, path]);
  useEffect(() => {
    set({ value: undefined, error: null });
    void load();
  }, [load]);
  const { error: failure, run } = useAction(load);
  return { value: state.value, error: state.error ?? failure, load, run };
};

/** Returns a function that runs an action and then `after`, whether it is running, and its failure. */
export const useAction = (after = () => {}) => {
  const [error, set] = useState(null);
  const [busy, setBusy] = useState(false);
  const run = async action => {
    setBusy(true);
    set(null);
    try {
      await action();
      await after();
    } catch (problem) {
      set(problem);
    } finally {
      setBusy(false);
    }
  };
  return { error, busy, run };
};

/** Returns the first failure of what `useLoad` returns; all that has failed is read again. */
export const failureOf = (...loads) => {
  const failed = loads.filter(({ error }) => error);
  const [first] = failed;
  return first && { message: first.error.message, retry: () => failed.forEach(({ load }) => void load()) };
};

/** Why something has failed; what was read can be read again. */
export const Failure = ({ error }) =>
  error &&
  html`<div role="alert">${error.message} ${error.retry && html`<${Button} onClick=${error.retry}>Try again<//>`}</div>`;

/** An instant, to the minute in the reader's time zone. */
export const time = instant =>
  instant ? new Date(instant).toLocaleString(undefined, { dateStyle: 'short', timeStyle: 'short' }) : '–';

export const Badge = ({ good, children }) => html`<span class=${`badge ${good ? 'good' : 'bad'}`}>${children}</span>`;

/**
 * A table of the rows that `useLoad` returns, below its failure.
 * Each column has a label and a function of a row; `actions` returns the buttons of a row.
 */
export const Table = ({ value: rows, error, columns, actions, empty = 'None.', label }) => {
  const failure = html`<${Failure} error=${error} />`;
  if (rows === null) return failure;
  if (!rows) return html`<p aria-busy="true">Loading…</p>`;
  if (rows.length === 0) return html`${failure}<p class="muted">${empty}</p>`;
  return html`${failure}<div class="overflow-auto"><table aria-label=${label}>
    <thead><tr>
      ${columns.map(([name]) => html`<th scope="col">${name}</th>`)}
      ${actions && html`<th></th>`}
    </tr></thead>
    <tbody>
      ${rows.map(
        row => html`<tr key=${row.id ?? row.jti ?? row.slug ?? row.request_id}>
          ${columns.map(
            ([name, show, wide]) =>
              html`<td data-label=${name} class=${wide ? 'wide' : undefined}>${show(row) ?? '–'}</td>`,
          )}
          ${actions && html`<td class="actions">${actions(row)}</td>`}
        </tr>`,
      )}
    </tbody>
  </table></div>`;
};

/** A button that does something at once, after a question if there is one. */
export const Button = ({ onClick, question, children, kind = 'secondary outline' }) => {
  const ask = () => (question === undefined || window.confirm(question)) && onClick();
  return html`<button type="button" class=${`small ${kind}`} onClick=${ask}>${children}</button>`;
};

/** Inputs keep what is typed while the page is rendered again: only their first values are given. */
const inputOf = ({ name, type = 'text', options, required, value, hint, label, ...rest }) => {
  const { member: _, parse: __, ...own } = rest;
  const given = { name, required, ...own };
  if (type === 'checks')
    return html`<fieldset key=${name}><legend>${label}</legend>
      ${options.map(
        ([key, text]) => html`<label key=${key}>
          <input type="checkbox" name=${name} value=${key} defaultChecked=${(value ?? []).includes(key)} /> ${text}
        </label>`,
      )}
    </fieldset>`;
  if (type === 'check')
    return html`<label key=${name}><input type="checkbox" name=${name} defaultChecked=${Boolean(value)} /> ${label}</label>`;
  const input =
    type === 'select'
      ? html`<select ...${given}>
          ${options.map(([key, text]) => html`<option key=${key} value=${key} selected=${key === value}>${text}</option>`)}
        </select>`
      : type === 'lines'
        ? html`<textarea rows="3" defaultValue=${value ?? ''} spellcheck="false" ...${given}></textarea>`
        : html`<input type=${type} defaultValue=${value ?? ''} autocomplete="off" ...${given} />`;
  return html`<label key=${name}>${label}${input}${hint && html`<small>${hint}</small>`}</label>`;
};

const givenIn = (form, { name, type }) => {
  if (type === 'checks') return new FormData(form).getAll(name);
  const input = form.elements.namedItem(name);
  if (type === 'check') return input.checked;
  return input.value.trim();
};

/**
 * A form: `onSubmit` is called with the values by name, and the form is emptied when it succeeds.
 */
export const Form = ({ fields, submit, onSubmit, keep = false }) => {
  const { error, busy, run } = useAction();
  const send = event => {
    event.preventDefault();
    const form = event.currentTarget;
    const values = Object.fromEntries(fields.map(field => [field.name, givenIn(form, field)]));
    void run(async () => {
      await onSubmit(values);
      if (!keep) form.reset();
    });
  };
  return html`<form class="fields" onSubmit=${send}>
    ${fields.map(inputOf)}
    <div class="all"><${Failure} error=${error} /><button type="submit" aria-busy=${busy}>${submit}</button></div>
  </form>`;
};

/** A part of the page that a button has opened: its heading gets the focus and is scrolled to. */
export const Section = ({ title, children }) => {
  const heading = useRef(null);
  useEffect(() => heading.current?.focus(), [title]);
  return html`<h2 tabindex="-1" ref=${heading}>${title}</h2>${children}`;
};

/** A secret that is shown once, with a button that copies it. */
export const Secret = ({ text, children, onClose }) => {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return html`<div class="secret" role="status">
    ${children}
    <code>${text}</code>
    <button type="button" class="small" onClick=${copy}>${copied ? 'Copied' : 'Copy'}</button>
    <button type="button" class="small secondary outline" onClick=${onClose}>Done</button>
  </div>`;
};

/** Parses what is separated by commas or spaces. */
export const listOf = text => text.split(/[\s,]+/).filter(Boolean);
