import type { Model, Operation, Program } from '@typespec/compiler';
import { markOf } from '../../../spec/conventions/marks.ts';
import { servedInterfaces, setPattern, statusSetOf } from '../spec/models.ts';
import { reportDiagnostic } from './diagnostics.ts';

/** Reports predefined listings with unknown fields or unknown sets of statuses. */
export const checkListings = (program: Program): void => {
  for (const [model, interfaces] of servedInterfaces(program)) {
    for (const operation of interfaces.flatMap(({ operations }) => [...operations.values()])) {
      const query = markOf(program, 'alias', operation);
      if (query !== undefined) checkQuery(program, model, operation, query);
    }
  }
};

const checkQuery = (program: Program, model: Model, target: Operation, query: string): void => {
  for (const [name = '', value = ''] of query.split('&').map(part => part.split(/=(.*)/s))) {
    const fields =
      name === 'sort' ? value.split(',').map(field => field.replace(/^[-+]/, '')) : [name.replace(/\[\]$/, '')];
    for (const field of fields) {
      if (!model.properties.has(field))
        reportDiagnostic(program, { code: 'unknown-field', target, format: { model: model.name, field } });
    }
  }
  for (const [, field = '', name = ''] of query.matchAll(setPattern)) {
    if (!statusSetOf(program, model, field, name))
      reportDiagnostic(program, { code: 'unknown-status-set', target, format: { field, name } });
  }
};
