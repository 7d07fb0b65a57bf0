import { parseNames } from '../names.ts';

/** A requested relation; `fields` null: the whole record. */
export interface Embed {
  readonly relation: string;
  readonly fields: readonly string[] | null;
}

/**
 * Parses `embed`: relations, each with an optional field after the first dot.
 * Entries of one relation are merged; a relation without a field selects all its fields. See docs/decisions.md, "Listings".
 */
export const parseEmbeds = (text: string): Embed[] => {
  const embeds = new Map<string, string[] | null>();
  for (const name of parseNames('embed', text)) {
    const dot = name.indexOf('.');
    const relation = dot < 0 ? name : name.slice(0, dot);
    const fields = embeds.get(relation);
    if (dot < 0 || fields === null) embeds.set(relation, null);
    else embeds.set(relation, [...(fields ?? []), name.slice(dot + 1)]);
  }
  return [...embeds].map(([relation, fields]) => ({ relation, fields }));
};
