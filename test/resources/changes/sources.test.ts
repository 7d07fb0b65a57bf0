import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import type { Model, ModelProperty, Program } from '@typespec/compiler';
import { sql } from 'kysely';
import { resources } from '../../../generated/resources.ts';
import { columns } from '../../../generated/tables.ts';
import { resourceModels } from '../../../scripts/generate/spec/models.ts';
import { compileSpec } from '../../../scripts/generate/spec/program.ts';
import { repository } from '../../../scripts/generate.ts';
import { markOf } from '../../../spec/conventions/marks.ts';
import { sourcesOf } from '../../../spec/sources.ts';
import type { Field, Resource } from '../../../src/core/resource/resource.ts';
import { forAnyApp } from '../../support/for-each-app.ts';

const all: readonly Resource[] = Object.values(resources);
const resourceOf = new Map(all.map(({ table, name }) => [table, name]));
const isTable = (name: string): boolean => Object.hasOwn(columns, name);
const { components } = JSON.parse(readFileSync(new URL('../../../generated/openapi.json', import.meta.url), 'utf8'));

let program: Program;

/** Returns the model of a resource. */
const modelOf = (resource: string): Model =>
  resourceModels(program).find(candidate => markOf(program, 'resource', candidate) === resource) as Model;

/** Returns the document's schema of a field. */
const schemaOf = ({ name }: Model, field: string): Readonly<Record<string, unknown>> =>
  (components.schemas[name] ?? components.schemas[`${name}WithRelations`]).properties[field];

forAnyApp((client, _, database) => {
  /** Returns the tables that a statement reads, by its plan. */
  const planned = async (text: string): Promise<readonly string[]> =>
    client.database.asOwner(client.tenant.id, async ({ send }) => {
      const [result] = await send({ name: null, text: `explain (format json) ${text}`, values: [] });
      return [...(result?.rows[0]?.[0] ?? '').matchAll(/"Relation Name": "(\w+)"/g)].map(([, name]) => name as string);
    });

  /** Returns the tables that a database function names, and those of the functions that it names. */
  const named = async (name: string): Promise<readonly string[]> => {
    const { rows } = await sql<{ name: string; source: string }>`
      select proname as name, prosrc || coalesce(pg_get_function_sqlbody(oid), '') as source from pg_proc
      where pronamespace = current_schema()::regnamespace`.execute(client.database.system);
    const functions = new Map(rows.map(row => [row.name, row.source]));
    const seen = new Set<string>();
    const visit = (word: string): void => {
      if (seen.has(word)) return;
      seen.add(word);
      const source = functions.get(word) ?? '';
      for (const [, table = '', called = ''] of source.matchAll(/\b(?:from|join) (\w+)\b(?!\()|(\w+)\(/g))
        if (isTable(table) || functions.has(called)) visit(table || called);
    };
    visit(name);
    return [...seen].filter(isTable);
  };

  const tablesOf = ({ name, source, called, table }: Resource, field: Field): Promise<readonly string[]> => {
    if (called) return named(table);
    return planned(
      `select "${field.name}" from ${source} as ${name.replaceAll('-', '_')} where tenant_id = ${client.tenant.id}`,
    );
  };

  describe(`the sources of fields, on ${database}`, () => {
    before(async () => {
      program ??= await compileSpec(repository.specDirs);
    });

    it('are fields: a change of any other field has no entry for who only reads what is derived', () => {
      const whole = all.flatMap(({ name, fields }) =>
        fields.flatMap(({ derivedFrom = [] }) =>
          derivedFrom.filter(source => !source.includes('.')).map(source => `${name} ${source}`),
        ),
      );
      assert.deepEqual(whole, []);
    });

    for (const resource of all)
      it(`of ${resource.name} are those that the document names: all resources that the field is read from`, async () => {
        const model = modelOf(resource.name);
        for (const field of [...resource.fields, ...(resource.hidden ?? [])]) {
          const { derived, inherited } = sourcesOf(program, model.properties.get(field.name) as ModelProperty);
          const tables = [...new Set(await tablesOf(resource, field))];
          const others = tables.filter(table => !resourceOf.has(table));
          assert.deepEqual(others, [], `${resource.name}.${field.name} is read from what is no resource`);
          const own = tables.flatMap(table => resourceOf.get(table) ?? []);
          const unnamed = own.filter(name => name !== resource.name && ![...derived, ...inherited].includes(name));
          assert.deepEqual(unnamed.sort(), [], `${resource.name}.${field.name} is read from further resources`);
          if (resource.fields.includes(field))
            assert.deepEqual(schemaOf(model, field.name)['x-derived-from'] ?? [], derived, field.name);
        }
      });
  });
});
