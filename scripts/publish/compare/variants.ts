/** A JSON Schema of the document, or a reference to one. */
export interface DocumentedSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly DocumentedSchema[];
  readonly oneOf?: readonly DocumentedSchema[];
  readonly properties?: Readonly<Record<string, DocumentedSchema>>;
  readonly patternProperties?: Readonly<Record<string, DocumentedSchema>>;
  readonly additionalProperties?: unknown;
  readonly required?: readonly string[];
  readonly items?: DocumentedSchema;
  readonly readOnly?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly 'x-scale'?: number;
  readonly 'x-lines'?: string;
}

/** The schemas of a document, by name. */
export type Components = Readonly<Record<string, DocumentedSchema>>;

/** A schema without alternatives, and the component that it is, if it is one. */
export interface SchemaPart {
  readonly schema: DocumentedSchema;
  readonly name: string | undefined;
}

/** What a schema says of the values of one type. */
export interface Variant {
  /** The only possible values; null: all of its type. */
  readonly values: ReadonlySet<unknown> | null;
  /** At least one. */
  readonly parts: readonly SchemaPart[];
}

/** Every value: what a schema without a type describes. */
const everyType = 'any value';

/**
 * Returns what a schema says of the values of each type.
 * References, `anyOf`, `oneOf` and `const` are resolved.
 */
export const variantsOf = (components: Components, schema: DocumentedSchema): Readonly<Record<string, Variant>> => {
  const variants: Record<string, { values: Set<unknown> | null; parts: SchemaPart[] }> = {};
  for (const { type, values, ...part } of alternativesOf(components, schema, undefined)) {
    const known = variants[type];
    if (!known) variants[type] = { values: values && new Set(values), parts: [part] };
    else {
      // The values of an enumeration are one part.
      if (!values || !known.values) known.parts.push(part);
      known.values = values && known.values && new Set([...known.values, ...values]);
    }
  }
  return variants;
};

interface Alternative extends SchemaPart {
  readonly type: string;
  readonly values: readonly unknown[] | null;
}

const alternativesOf = (
  components: Components,
  { $ref, ...rest }: DocumentedSchema,
  name: string | undefined,
): readonly Alternative[] => {
  const named = $ref?.split('/').at(-1);
  if (named !== undefined) return alternativesOf(components, { ...components[named], ...rest }, named);
  const { anyOf, oneOf, ...own } = rest;
  const parts = anyOf ?? oneOf;
  if (parts) return parts.flatMap(part => alternativesOf(components, { ...own, ...part }, name));
  const values = 'const' in own ? [own.const] : (own.enum ?? null);
  const type = own.type ?? (values ? typeof values[0] : everyType);
  return [{ type, values, schema: own, name }];
};
