import type { OpenAPI3Document } from '@typespec/openapi3';

interface ExampledParameter {
  readonly schema: object;
  readonly 'x-example'?: unknown;
}
type Item = Readonly<Record<string, { parameters: readonly object[] }>>;

/** Moves the examples of parameters into their schemas: explorers send those of parameters. */
export const placeExamples = (document: OpenAPI3Document): OpenAPI3Document => {
  for (const operation of Object.values(document.paths as Record<string, Item>).flatMap(item => Object.values(item)))
    operation.parameters = operation.parameters.map(placeExample);
  const shared = (document.components?.parameters ?? {}) as Record<string, object>;
  for (const [name, parameter] of Object.entries(shared)) shared[name] = placeExample(parameter);
  return document;
};

const placeExample = (parameter: object): object => {
  if (!('x-example' in parameter)) return parameter;
  const { 'x-example': example, schema, ...rest } = parameter as ExampledParameter;
  return { ...rest, schema: { ...schema, examples: [example] } };
};
