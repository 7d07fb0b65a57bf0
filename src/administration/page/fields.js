import { useState } from './hooks.js';
import { Button, Failure, Form, failureOf, html, Section, Table, useAction, useLoad } from './parts.js';
import { fieldsOf, objectOf } from './schema.js';

/** The fields of a tenant's forms. */
export const Fields = ({ api, path }) => {
  const schemas = useLoad(api, '/openapi.json');
  const forms = useLoad(api, `${path}/forms`);
  const collections = useLoad(api, `${path}/collections`);
  const attributes = useLoad(api, `${path}/attributes`);
  const { load } = attributes;
  const { error: failure, run } = useAction(load);
  const [chosen, choose] = useState(null);
  const at = `${path}/attributes`;
  const nameOf = ({ value: known }, id) => known?.find(entry => entry.id === id)?.name ?? '–';
  const listed = entries => ({ oneOf: entries.map(({ id, name }) => ({ const: id, title: name })) });
  const newFields = () =>
    fieldsOf(schemas.value, schemas.value.components.schemas.NewAttribute, {
      own: {
        entity_id: listed(forms.value),
        collection_id: listed(collections.value.filter(({ deleted }) => !deleted)),
      },
    });
  const changedFields = values =>
    fieldsOf(schemas.value, schemas.value.components.schemas.AttributeChanges, { values });
  const write = async (method, path, body) => {
    await api(method, path, body);
    choose(null);
    await load();
  };
  return html`<${Failure} error=${failureOf(attributes, schemas, forms, collections) ?? failure} />
    <h2>New field</h2>
    ${
      schemas.value &&
      forms.value &&
      collections.value &&
      html`<${Form} submit="Create field" fields=${newFields()}
        onSubmit=${given => write('POST', at, objectOf(newFields(), given))} />`
    }
    ${
      chosen &&
      schemas.value &&
      html`<${Section} title=${`Field ${chosen.name}`}>
        <${Form} key=${chosen.id} submit="Save" keep fields=${changedFields(chosen)}
          onSubmit=${given => write('PUT', `${at}/${chosen.id}`, objectOf(changedFields(chosen), given, null))} />
      <//>`
    }
    <h2>Fields</h2>
    <${Table} label="Fields" value=${attributes.value} columns=${[
      ['Form', ({ entity_id }) => nameOf(forms, entity_id)],
      ['Label', ({ name }) => name],
      ['Field', ({ id, identifier }) => html`<code>${identifier ?? `dynamic_field_${id}`}</code>`],
      ['Type', ({ type }) => type],
      ['Collection', ({ collection_id }) => nameOf(collections, collection_id)],
      ['Required', ({ required }) => (required ? 'yes' : 'no')],
      ['Category', ({ category }) => category],
    ]} actions=${field => html`
      <${Button} onClick=${() => choose(field)}>Change<//>
      ${
        Boolean(field.deletable) &&
        html`<${Button} question=${`Delete the field ${field.name} with all its values?`}
          onClick=${() => run(() => api('DELETE', `${at}/${field.id}`))}>Delete<//>`
      }`} />`;
};
