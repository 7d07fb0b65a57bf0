import type { Compilable } from 'kysely';
import type { Tables } from '../../generated/tables.ts';
import { tenantPlugin } from './binding/tenant-plugin.ts';
import type { RawStatement } from './connection.ts';
import type { ChangedRecord, TenantQuery } from './database.ts';
import { compileOnly, statementOf } from './kysely.ts';
import type { SetForm } from './together/set-form.ts';

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
 * How several queries are sent as one, by the names of their values.
 * All have the same value (`shared`), or arrays whose items become one array's (`union`).
 */
export type Together<Values> = { readonly [Name in keyof Values]: 'shared' | 'union' };

/**
 * Returns a function that makes a query of values.
 * The query is compiled once: `build` gets placeholders that have the types of the values, so that it can compare and store them,
 * but not look at them.
 * @param together how several are sent as one, if they can be: each then gets the rows of all
 * @returns a function of the values and, as in Statement, the records that the query is certain to change
 */
export const prepare = <Values extends object, Row>(
  build: (db: typeof compiler, values: Values) => Compilable<Row>,
  together?: Together<Values>,
): ((values: Values, records?: readonly ChangedRecord[]) => TenantQuery<Row>) => {
  let known: (RawStatement & { readonly form?: SetForm }) | null = null;
  const compile = () => {
    const placeholders = new Proxy({}, { get: (_, name) => new Placeholder(name) });
    const statement = statementOf(build(compiler, placeholders as Values).compile());
    known = { ...statement, ...(together && { form: formOf(statement, together) }) };
    return known;
  };
  return (values, records) => ({
    for: tenantId => {
      const { name, text, values: parameters, form } = known ?? compile();
      const put = (parameter: unknown): unknown => {
        if (parameter === tenant) return tenantId;
        return parameter instanceof Placeholder ? values[parameter.name as keyof Values] : parameter;
      };
      const cells = parameters.map(put);
      const member = form && { form, cells: cells as readonly (string | null)[] };
      return { name, text, values: cells, ...(member && { member }), ...(records && { records }) };
    },
  });
};

/** The form of a query; parameters that stand for none of its values are the same for all. */
const formOf = <Values>({ name, text, values }: RawStatement, together: Together<Values>): SetForm => {
  const ways = values.map(value => (value instanceof Placeholder && together[value.name as keyof Values]) || 'shared');
  const whole = { name: name ?? '', text, slots: values.map((_, index) => index) };
  return { shape: text, textFor: () => whole, ways: { ...ways }, gives: 'all' };
};
