import { Button, Failure, Form, html, Table, useAction, useLoad } from './parts.js';

const types = ['text', 'number', 'boolean', 'date', 'email', 'phone', 'select', 'multi_select', 'level_select', 'file'];
const categories = ['pay', 'contact', 'personal', 'health', 'identity'];
const withCollection = new Set(['select', 'multi_select', 'level_select']);

/** The fields of a tenant's forms. */
export const Fields = ({ api, path }) => {
  const forms = useLoad(api, `${path}/forms`);
  const collections = useLoad(api, `${path}/collections`);
  const { value, error, load } = useLoad(api, `${path}/attributes`);
  const { error: failure, run } = useAction(load);
  const nameOf = ({ value: known }, id) => known?.find(entry => entry.id === id)?.name ?? '–';
  const create = async ({ entity_id, collection_id, category, type, ...rest }) => {
    await api('POST', `${path}/attributes`, {
      ...rest,
      type,
      entity_id: Number(entity_id),
      ...(withCollection.has(type) && collection_id && { collection_id: Number(collection_id) }),
      ...(category && { category }),
    });
    await load();
  };
  const remove = id => run(() => api('DELETE', `${path}/attributes/${id}`));
  return html`<${Failure} error=${error ?? forms.error ?? collections.error ?? failure} />
    <h2>New field</h2>
    ${
      forms.value &&
      collections.value &&
      html`<${Form} submit="Create field" onSubmit=${create} fields=${[
        { name: 'entity_id', label: 'Form', type: 'select', options: forms.value.map(({ id, name }) => [id, name]) },
        { name: 'name', label: 'Label', required: true, maxlength: 255 },
        { name: 'type', label: 'Type', type: 'select', options: types.map(type => [type, type]) },
        {
          name: 'collection_id',
          label: 'Collection',
          type: 'select',
          options: [
            ['', '–'],
            ...collections.value.filter(({ deleted }) => !deleted).map(({ id, name }) => [id, name]),
          ],
          hint: 'Of a select',
        },
        {
          name: 'category',
          label: 'Category',
          type: 'select',
          options: [['', '–'], ...categories.map(one => [one, one])],
        },
        { name: 'required', label: 'Required', type: 'check' },
      ]} />`
    }
    <h2>Fields</h2>
    <${Table} label="Fields" rows=${value} columns=${[
      ['Form', ({ entity_id }) => nameOf(forms, entity_id)],
      ['Label', ({ name }) => name],
      ['Field', ({ id, identifier }) => html`<code>${identifier ?? `dynamic_field_${id}`}</code>`],
      ['Type', ({ type }) => type],
      ['Collection', ({ collection_id }) => nameOf(collections, collection_id)],
      ['Required', ({ required }) => (required ? 'yes' : 'no')],
      ['Category', ({ category }) => category],
    ]} actions=${({ id, name, deletable }) =>
      Boolean(deletable) &&
      html`<${Button} question=${`Delete the field ${name} with all its values?`} onClick=${() => remove(id)}>Delete<//>`} />`;
};
