import type { Compilable } from 'kysely';
import type { Tables } from '../../generated/tables.ts';
import { tenantPlugin } from './binding/tenant-plugin.ts';
import type { RawStatement } from './connection.ts';
import type { ChangedRecord, TenantQuery } from './database.ts';
import { compileOnly, statementOf } from './kysely.ts';

/** A placeholder of a value, by its name. */
class Placeholder {
  readonly name: PropertyKey;
  constructor(name: PropertyKey) {
    this.name = name;
  }
}

const tenant = new Placeholder('the id of the tenant');
const compiler = compileOnly<Tables>(tenantPlugin(tenant));

/**
 * Returns a function that makes a query of values.
 * The query is compiled once: `build` gets placeholders that have the types of the values, so that it can compare and store them,
 * but not look at them.
 * @returns a function of the values and, as in Statement, the records that the query is certain to change
 */
export const prepare = <Values extends object, Row>(
  build: (db: typeof compiler, values: Values) => Compilable<Row>,
): ((values: Values, records?: readonly ChangedRecord[]) => TenantQuery<Row>) => {
  let known: RawStatement | null = null;
  const compile = (): RawStatement => {
    const placeholders = new Proxy({}, { get: (_, name) => new Placeholder(name) });
    known = statementOf(build(compiler, placeholders as Values).compile());
    return known;
  };
  return (values, records) => ({
    for: tenantId => {
      const { name, text, values: parameters } = known ?? compile();
      const put = (parameter: unknown): unknown => {
        if (parameter === tenant) return tenantId;
        return parameter instanceof Placeholder ? values[parameter.name as keyof Values] : parameter;
      };
      return { name, text, values: parameters.map(put), ...(records && { records }) };
    },
  });
};
