import type { Module } from '../../core/resource/resource.ts';
import type { VerbName } from '../../core/resource/verb-names.ts';

/** The extensions (x-…) of an operation in the published document. */
export interface Extensions {
  readonly 'x-resource'?: string;
  readonly 'x-verb'?: VerbName;
  readonly 'x-alias'?: string;
  readonly 'x-xml-root'?: string;
  readonly 'x-module'?: Module;
  readonly 'x-sandbox'?: boolean;
  readonly 'x-parent'?: Traits['parent'];
  readonly 'x-external-id'?: string;
  readonly 'x-withdrawn'?: boolean;
  readonly 'x-deprecated-since'?: string;
  readonly 'x-successor'?: string;
}

/** What the spec declares about an operation beyond OpenAPI. */
export interface Traits {
  readonly resource: string | undefined;
  /** The engine's verb that serves the operation; undefined for an action. */
  readonly verb: VerbName | undefined;
  /** The name of a predefined listing. */
  readonly alias: string | undefined;
  /** The root element of an action's value in XML. */
  readonly xmlRoot: string | undefined;
  readonly module: Module | undefined;
  /** Whether it is for sandboxes only. */
  readonly sandbox: boolean;
  /** A nested operation's parent, the field with the parent's id, and where the own id is. */
  readonly parent:
    | {
        readonly resource: string;
        readonly field: string;
        readonly record?: { readonly in: 'path' | 'query' | 'body'; readonly name: string };
      }
    | undefined;
  /** The path parameter with the external id that identifies the record. */
  readonly externalId: string | undefined;
  /** The operation has been withdrawn: calls are rejected with 410. */
  readonly withdrawn: boolean;
  /** With `deprecated`: the date since when, and the path of the replacement, with placeholders. */
  readonly deprecatedSince: string | undefined;
  readonly successor: string | undefined;
}

/** Returns what the extensions of an operation declare: the only place that reads them. */
export const traitsOf = (operation: object): Traits => {
  const extensions: Extensions = operation;
  return {
    resource: extensions['x-resource'],
    verb: extensions['x-verb'],
    alias: extensions['x-alias'],
    xmlRoot: extensions['x-xml-root'],
    module: extensions['x-module'],
    sandbox: extensions['x-sandbox'] ?? false,
    parent: extensions['x-parent'],
    externalId: extensions['x-external-id'],
    withdrawn: extensions['x-withdrawn'] ?? false,
    deprecatedSince: extensions['x-deprecated-since'],
    successor: extensions['x-successor'],
  };
};

/** Returns the type of the field that a parameter filters by; undefined: it is no filter. */
export const filterTypeOf = (parameter: object): string | undefined => {
  const { 'x-filter': filter }: { readonly 'x-filter'?: { readonly type: string } } = parameter;
  return filter?.type;
};
