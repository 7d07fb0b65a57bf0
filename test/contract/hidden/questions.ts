import assert from 'node:assert/strict';
import { categories } from '../../../src/core/resource/categories.ts';
import type { Send, Step } from './walk.ts';

/**
 * Adds a question of each category to a form, with answers in a report and choices in a collection.
 * @returns the requests that show questions and answers
 */
export const addQuestions = async (send: Send): Promise<readonly Step[]> => {
  const ask = async (method: string, target: string, body?: object) => {
    const response = await send({ method, target, body });
    assert.ok(response.status < 300, `${method} ${target}: ${response.text}`);
    return response.body;
  };
  const add = async (path: string, body: object): Promise<number> => (await ask('POST', path, body)).id;
  const collection_id = await add('/collections', { name: 'Grades' });
  const choice = await add(`/collections/${collection_id}/value`, { name: 'Good' });
  const [{ id: report, assignment_id, data }] = await ask('GET', '/assignment-employment-reports?sort=id&limit=1');
  const form = await add('/forms', { name: 'Report', entity: 'assignment-employment-reports' });
  const { event_id } = await ask('GET', `/assignments/${assignment_id}`);
  await ask('PUT', `/events/${event_id}`, { reporting_form_ids: [form] });
  const answers: object[] = [];
  for (const category of [...categories, null]) {
    const question = { entity_id: form, name: `Of ${category}`, category };
    const text = await add('/attributes', { ...question, type: 'text' });
    const select = await add('/attributes', { ...question, type: 'select', collection_id });
    answers.push({ attribute_id: text, value: 'a' }, { attribute_id: select, value: choice });
  }
  const path = `/assignment-employment-reports/${report}`;
  await ask('PUT', path, { data: [...data, ...answers] });
  const read = [
    path,
    `${path}.xml`,
    `/assignment-employment-reports.csv?id=${report}`,
    `/assignments/${assignment_id}?embed=report`,
    `/assignments/${assignment_id}/reporting-forms`,
    `/forms/${form}?embed=attributes`,
    `/forms/${form}/attributes?count=true`,
    `/attributes?entity_id=${form}&count=true`,
    `/collections/${collection_id}/objects`,
  ];
  return [
    ...read.map(target => ({ method: 'GET', target })),
    { method: 'PUT', target: `${path}?dry_run=true`, body: {} },
  ];
};
