import { getExamples, isErrorModel, type Model, type Operation, type Program, type Type } from '@typespec/compiler';
import { isBody } from '@typespec/http';
import { markOf } from '../../../spec/conventions/marks.ts';
import { resourceModels, servedInterfaces } from '../spec/models.ts';
import { reportDiagnostic } from './diagnostics.ts';

/** Reports resources, and request and 2xx response bodies of actions, that have no example. */
export const checkExamples = (program: Program): void => {
  for (const model of resourceModels(program)) requireExample(program, model, `${markOf(program, 'resource', model)}`);
  for (const interfaces of servedInterfaces(program).values()) {
    for (const operation of interfaces.flatMap(({ operations }) => [...operations.values()])) {
      if (markOf(program, 'verb', operation)) continue;
      for (const body of bodiesOf(program, operation)) requireExample(program, body, operation.name);
    }
  }
};

const requireExample = (program: Program, body: Model, where: string): void => {
  if (getExamples(program, body).length > 0) return;
  reportDiagnostic(program, { code: 'no-example', target: body, format: { body: body.name, where } });
};

/** Returns the models of the operation's bodies and list items, except those derived from a resource. */
const bodiesOf = (program: Program, { parameters, returnType }: Operation): readonly Model[] => {
  const responses =
    returnType.kind === 'Union' ? [...returnType.variants.values()].map(({ type }) => type) : [returnType];
  const successes = responses.filter(type => type.kind === 'Model' && !isErrorModel(program, type)) as Model[];
  return [parameters, ...successes]
    .flatMap(({ properties }) => [...properties.values()].filter(property => isBody(program, property)))
    .flatMap(({ type }) => itemOf(type))
    .filter(model => model.namespace !== undefined);
};

const itemOf = (type: Type): readonly Model[] => {
  if (type.kind !== 'Model') return [];
  return type.name === 'Array' ? itemOf(type.indexer?.value as Type) : [type];
};
