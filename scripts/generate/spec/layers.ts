import type { Field, Resource } from '../../../src/core/resource/resource.ts';
import type { Facts } from './facts.ts';
import type { Table } from './table.ts';

/** A table or view, and the names of its columns. */
interface Layer {
  readonly source: string;
  readonly columns: readonly string[];
}

/**
 * Returns the facts with the layers of each resource with a view, and those of its fields.
 * @param definitionOf returns the text of a resource's view.sql; null: it has none
 * @throws Error if the layers cannot be told from it
 */
export const withLayers = (facts: Facts, definitionOf: (resource: string) => string | null): Facts => {
  const found = new Map(
    facts.resources.map(resource => {
      const text = resource.called || resource.source === resource.table ? null : definitionOf(resource.name);
      return [resource.source, text === null ? [] : layersOf(text, ownOf(resource, facts.tables))];
    }),
  );
  return {
    ...facts,
    resources: facts.resources.map(resource => layered(resource, found.get(resource.source) ?? [])),
    tables: facts.tables.flatMap(table => [
      ...(found.get(table.name) ?? [])
        .filter(({ source }) => !facts.tables.some(({ name }) => name === source))
        .map(({ source, columns }) => ({
          ...table,
          name: source,
          columns: table.columns.filter(({ name }) => columns.includes(name)),
        })),
      table,
    ]),
  };
};

const ownOf = ({ table }: Resource, tables: readonly Table[]): Layer => {
  const columns = tables.find(({ name }) => name === table)?.columns ?? [];
  return { source: table, columns: columns.map(({ name }) => name) };
};

const layered = (resource: Resource, layers: readonly Layer[]): Resource => {
  if (layers.length < 2) return resource;
  if (layers.at(-1)?.source !== resource.source) throw new Error(`${resource.source} must be the last of its views.`);
  const placed = (field: Field): Field => {
    const layer = layers.findIndex(({ columns }) => columns.includes(field.name));
    return layer > 0 ? { ...field, layer } : field;
  };
  const { fields, hidden } = resource;
  return {
    ...resource,
    layers: layers.map(({ source }) => source),
    fields: fields.map(placed),
    ...(hidden && { hidden: hidden.map(placed) }),
  };
};

/**
 * Returns the layers of a resource, the lowest first.
 * The views of its definition file that are named after its table, each with all columns of the one before it. The table itself is
 * the lowest one where the first view selects all of its columns as they are.
 * @param text of the file
 * @param own the resource's table
 * @throws Error if a view lacks a column of the one before it, or its columns cannot be told from the text
 */
export const layersOf = (text: string, own: Layer): readonly Layer[] => {
  const layers: Layer[] = [];
  for (const { source, select } of viewsIn(text, own.source)) {
    const known = new Map([own, ...layers].map(layer => [layer.source, layer.columns]));
    const { items, from } = partsOf(select);
    if (layers.length === 0 && items.some(item => allOf(item, from) === own.source)) layers.push(own);
    const columns = columnsIn(select, source, known);
    const missing = layers.at(-1)?.columns.filter(column => !columns.includes(column)) ?? [];
    if (missing.length > 0) throw new Error(`${source} lacks columns of the layer before it: ${missing.join(', ')}.`);
    layers.push({ source, columns });
  }
  return layers;
};

/** The names of the columns of a select. @throws Error if the text does not show them */
const columnsIn = (
  select: string,
  source: string,
  known: ReadonlyMap<string, readonly string[]>,
): readonly string[] => {
  const { items, from } = partsOf(select);
  const inner = subqueryOf(from);
  return items.flatMap(item => {
    if (inner && item === `${inner.alias}.*`) return columnsIn(inner.select, source, known);
    const all = allOf(item, from);
    const found = all === undefined ? [nameOf(item)] : known.get(all);
    if (!found) throw new Error(`${source}: the columns of ${item} are not known; name them.`);
    return found;
  });
};

/** The subquery that a FROM clause begins with. */
const subqueryOf = (from: string): { readonly select: string; readonly alias: string } | null => {
  const [start] = from.match(/^from \(\s*select\s/) ?? [];
  if (!start) return null;
  let depth = 0;
  for (const { 0: token, index } of from.matchAll(/"[^"]*"|'[^']*'|[()]/g)) {
    if (token === '(') depth++;
    if (token === ')') depth--;
    if (token !== ')' || depth > 0) continue;
    const [, alias = ''] = from.slice(index + 1).match(/^ (\w+)/) ?? [];
    return { select: from.slice(start.length, index), alias };
  }
  return null;
};

interface View {
  readonly source: string;
  readonly select: string;
}

const viewsIn = (text: string, table: string): readonly View[] => {
  const code = text.replaceAll(/--.*$/gm, '');
  const views = code.matchAll(/^create view (\w+) with \(security_invoker = true\) as\s+select\s([^;]*);/gm);
  return [...views].flatMap(([, source = '', select = '']) =>
    source.startsWith(`${table}_`) ? [{ source, select }] : [],
  );
};

/** The items of a select list, and what follows it. */
const partsOf = (select: string): { readonly items: readonly string[]; readonly from: string } => {
  const items: string[] = [];
  let [start, depth] = [0, 0];
  for (const { 0: token, index } of select.matchAll(/"[^"]*"|'[^']*'|[(),]|\bfrom\b/g)) {
    if (token === '(') depth++;
    if (token === ')') depth--;
    if (depth > 0 || (token !== ',' && token !== 'from')) continue;
    items.push(select.slice(start, index).trim());
    if (token === 'from') return { items, from: select.slice(index) };
    start = index + 1;
  }
  throw new Error(`A view has no table: ${select.slice(0, 60)}`);
};

/** The table or view whose columns an item stands for, all of them; undefined: it is one column. */
const allOf = (item: string, from: string): string | undefined => {
  if (item === '*') return from.match(/^from (\w+)/)?.[1];
  const [, alias] = item.match(/^(\w+)\.\*$/) ?? [];
  return alias && (from.match(new RegExp(`\\b(?:from|join) (\\w+) ${alias}\\b`))?.[1] ?? item);
};

const nameOf = (item: string): string => {
  const [, quoted, plain] = item.match(/(?:^|\.|\bas )(?:"([^"]+)"|(\w+))$/) ?? [];
  const name = quoted ?? plain;
  if (name === undefined) throw new Error(`${item} has no name.`);
  return name;
};
