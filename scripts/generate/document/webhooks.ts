import { getDoc, getExamples, type Model, type Program, serializeValueAsJson } from '@typespec/compiler';
import type { OpenAPI3Document } from '@typespec/openapi3';
import { markOf } from '../../../spec/conventions/marks.ts';
import { camel } from '../../../spec/words.ts';
import { namespaceOf } from '../spec/program.ts';
import { membersOf } from './exchange.ts';

/**
 * Adds the webhooks to the document.
 * For each trigger what the webhook of an automation sends, with an example.
 * @throws Error if a trigger has no model of its data, or the model no example
 */
export const declareWebhooks = (program: Program, document: OpenAPI3Document): OpenAPI3Document => {
  const { enums, models } = namespaceOf(program);
  const sent = new Map([...models.values()].map(model => [markOf(program, 'sentFor', model), model]));
  const webhooks = [...(enums.get('TriggerType')?.members.values() ?? [])].map(member => {
    const data = sent.get(member.name);
    if (!data) throw new Error(`The trigger ${member.name} has no model of its data (@sentFor).`);
    return [member.name, { post: webhookOf(program, member.name, getDoc(program, member) ?? '', data) }];
  });
  // The library's type of documents is that of OpenAPI 3.0, which has no webhooks.
  return { ...document, ...(webhooks.length > 0 && { webhooks: Object.fromEntries(webhooks) }) };
};

const webhookOf = (program: Program, trigger: string, description: string, data: Model) => {
  const doc = (model: string) => getDoc(program, namespaceOf(program).models.get(model) as Model);
  const [example] = getExamples(program, data);
  if (!example) throw new Error(`${data.name} has no example, which the webhook ${trigger} needs.`);
  const sample = {
    type: trigger,
    timestamp: '2026-06-11T15:30:24Z',
    data: serializeValueAsJson(program, example.value, data),
  };
  return {
    operationId: `webhooks_${camel(trigger.replaceAll(/[._]/g, '-'))}`,
    tags: ['automations'],
    summary: getDoc(program, data)?.split('. ')[0]?.replace(/\.$/, ''),
    description,
    security: [],
    parameters: Object.entries(membersOf(program, 'WebhookHeaders')).map(([name, header]) => ({
      name,
      in: 'header',
      ...header,
    })),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { ...messageOf(program, trigger, data), examples: [sample] } } },
    },
    responses: { '2XX': { description: doc('WebhookConfirmation') } },
    'x-module': 'automations',
  };
};

/** The schema of a webhook's body: that of WebhookMessage for one trigger. */
const messageOf = (program: Program, trigger: string, data: Model) => {
  const { type, timestamp, test, data: what } = membersOf(program, 'WebhookMessage');
  return {
    type: 'object',
    required: ['type', 'timestamp', 'data'],
    properties: {
      type: { type: 'string', const: trigger, description: type?.description },
      timestamp: { type: 'string', format: 'date-time', description: timestamp?.description },
      test: { type: 'boolean', const: true, description: test?.description },
      data: { $ref: `#/components/schemas/${data.name}`, description: what?.description },
    },
    additionalProperties: false,
  };
};
