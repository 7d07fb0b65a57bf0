/** The extensions (x-…) of operations and parameters in the published document. */
interface Described {
  readonly 'x-verb'?: string;
  readonly 'x-module'?: string;
  readonly 'x-resource'?: string;
  readonly 'x-filter'?: { readonly type: string };
}

/** Returns the verb, the module and the resource of an operation. */
export const traitsOf = (operation: object) => {
  const { 'x-verb': verb, 'x-module': module, 'x-resource': resource }: Described = operation;
  return { verb, module, resource };
};

/** Returns the type of the field that a parameter filters by; undefined if the parameter is not a filter. */
export const filterTypeOf = (parameter: object): string | undefined => {
  const { 'x-filter': filter }: Described = parameter;
  return filter?.type;
};
