import { useState } from './hooks.js';
import { Button, Form, html, Section, Table, useLoad } from './parts.js';

/** The values of a collection. */
const Values = ({ api, path, collection }) => {
  const at = `${path}/collections/${collection.id}/values`;
  const values = useLoad(api, at);
  const create = async ({ name, identifier }) => {
    await api('POST', at, { name, ...(identifier && { identifier }), order: (values.value?.length ?? 0) + 1 });
    await values.load();
  };
  const change = (id, changes) => values.run(() => api('PUT', `${at}/${id}`, changes));
  const rename = ({ id, name }) => {
    const given = window.prompt('Name', name);
    if (given) void change(id, { name: given });
  };
  return html`<${Section} title=${`Values of ${collection.name}`}>
    <${Table} label="Values" ...${values} empty="There are no values." columns=${[
      ['Name', ({ name }) => name],
      ['Identifier', ({ identifier }) => identifier],
      ['Id', ({ id }) => html`<code>${id}</code>`],
      ['In use', ({ deleted }) => (deleted ? 'no' : 'yes')],
    ]} actions=${
      collection.editable &&
      (entry => html`<${Button} onClick=${() => rename(entry)}>Rename<//>
        <${Button} onClick=${() => change(entry.id, { deleted: !entry.deleted })}>${entry.deleted ? 'Restore' : 'Delete'}<//>`)
    } />
    ${
      Boolean(collection.editable) &&
      html`<${Form} submit="Add value" onSubmit=${create} fields=${[
        { name: 'name', label: 'Name of the value', required: true, maxlength: 255 },
        { name: 'identifier', label: 'Identifier', maxlength: 255, hint: 'Optional' },
      ]} />`
    }
  <//>`;
};

/** The collections of a tenant with their values. */
export const Collections = ({ api, path }) => {
  const collections = useLoad(api, `${path}/collections`);
  const [chosen, choose] = useState(null);
  const create = async ({ name }) => {
    choose(await api('POST', `${path}/collections`, { name }));
    await collections.load();
  };
  return html`
    <${Table} label="Collections" ...${collections} columns=${[
      ['Name', ({ name }) => name],
      ['Identifier', ({ identifier }) => identifier],
      ['Editable', ({ editable }) => (editable ? 'yes' : 'no')],
      ['In use', ({ deleted }) => (deleted ? 'no' : 'yes')],
    ]} actions=${collection => html`<${Button} onClick=${() => choose(collection)}>Values<//>`} />
    <${Form} submit="Create collection" onSubmit=${create} fields=${[
      { name: 'name', label: 'Name of the collection', required: true, maxlength: 255 },
    ]} />
    ${chosen && html`<${Values} key=${chosen.id} api=${api} path=${path} collection=${chosen} />`}`;
};
