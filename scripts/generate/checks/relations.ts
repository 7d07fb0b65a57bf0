import type { Model, Program } from '@typespec/compiler';
import { markOf } from '../../../spec/conventions/marks.ts';
import { reportDiagnostic } from './diagnostics.ts';
import { checkComparable } from './fields.ts';

/** Reports invalid relations: unknown resources or fields, different types, ambiguous names. */
export const checkRelations = (program: Program, model: Model): void => {
  const taken = new Map([...model.properties.keys()].map(name => [foldName(name), `a field of ${model.name}`]));
  for (const { name, short, related, from, to } of markOf(program, 'relations', model) ?? []) {
    const at = `The relation ${name} of ${model.name}`;
    if (!markOf(program, 'resource', related))
      reportDiagnostic(program, { code: 'not-a-resource', target: model, format: { at, model: related.name } });
    const ends = [
      [model, from],
      [related, to],
    ] as const;
    const [own, theirs] = ends.map(([end, field]) => {
      const property = end.properties.get(field);
      if (!property)
        reportDiagnostic(program, {
          code: 'unknown-field',
          target: model,
          format: { model: `${at}: ${end.name}`, field },
        });
      return property;
    });
    if (own && theirs) checkComparable(program, own, theirs, model);
    // The names must stay distinct in clients that ignore letter case and separators.
    if (name !== short && foldName(name) === foldName(short))
      reportDiagnostic(program, {
        code: 'taken-name',
        target: model,
        format: { name: `${at}: ${short}`, other: name },
      });
    for (const key of new Set([foldName(name), foldName(short)])) {
      const other = taken.get(key);
      const shown = key === foldName(short) ? short : name;
      if (other)
        reportDiagnostic(program, { code: 'taken-name', target: model, format: { name: `${at}: ${shown}`, other } });
      taken.set(key, `the relation ${name}`);
    }
  }
};

/** Removes the letter case and the separators of a name. */
const foldName = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9.]/g, '');
