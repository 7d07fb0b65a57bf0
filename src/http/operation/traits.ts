import type { Module } from '../../core/resource/resource.ts';
import type { VerbName } from '../../core/resource/verb-names.ts';

/** The extensions (x-…) of an operation in the published document. */
interface Extensions {
  readonly 'x-resource'?: string;
  readonly 'x-verb'?: VerbName;
  readonly 'x-alias'?: string;
  readonly 'x-xml-root'?: string;
  readonly 'x-module'?: Module;
  readonly 'x-sandbox'?: boolean;
  readonly 'x-parent'?: {
    readonly resource: string;
    readonly field: string;
    readonly record?: { readonly in: 'path' | 'query' | 'body'; readonly name: string };
  };
  readonly 'x-external-id'?: string;
  readonly 'x-withdrawn'?: boolean;
  readonly 'x-deprecated-since'?: string;
  readonly 'x-successor'?: string;
}

/** What the spec declares about an operation beyond OpenAPI. */
export type Traits = ReturnType<typeof traitsOf>;

/** Returns what the extensions of an operation declare: the only place that reads them. */
export const traitsOf = (operation: object) => {
  const extensions: Extensions = operation;
  return {
    resource: extensions['x-resource'],
    /** The engine's verb that serves the operation; undefined for an action. */
    verb: extensions['x-verb'],
    /** The name of a predefined listing. */
    alias: extensions['x-alias'],
    /** The root element of an action's value in XML. */
    xmlRoot: extensions['x-xml-root'],
    module: extensions['x-module'],
    /** Whether it is for sandboxes only. */
    sandbox: extensions['x-sandbox'] ?? false,
    /** A nested operation's parent, the field with the parent's id, and where the own id is. */
    parent: extensions['x-parent'],
    /** The path parameter with the external id that identifies the record. */
    externalId: extensions['x-external-id'],
    /** The operation has been withdrawn: calls are rejected with 410. */
    withdrawn: extensions['x-withdrawn'] ?? false,
    /** With `deprecated`: the date since when, and the path of the replacement, with placeholders. */
    deprecatedSince: extensions['x-deprecated-since'],
    successor: extensions['x-successor'],
  };
};

/** Returns the type of the field that a parameter filters by; undefined: it is no filter. */
export const filterTypeOf = (parameter: object): string | undefined => {
  const { 'x-filter': filter }: { readonly 'x-filter'?: { readonly type: string } } = parameter;
  return filter?.type;
};
