import type { Program } from '@typespec/compiler';
import { getTagsMetadata } from '@typespec/openapi';
import { markOf } from '../../../spec/conventions/marks.ts';
import { resourceModels, servedInterfaces } from '../facts.ts';
import { namespaceOf } from '../program.ts';
import { reportDiagnostic } from './diagnostics.ts';

/** Reports tags without a description, and declared ones that no operation has. */
export const checkTags = (program: Program): void => {
  const target = namespaceOf(program);
  const served = servedInterfaces(program);
  const used = new Set(
    resourceModels(program).flatMap(model => (served.has(model) ? [markOf(program, 'resource', model)] : [])),
  );
  for (const { name: tag, description } of getTagsMetadata(program, target) ?? []) {
    if (!used.has(tag)) reportDiagnostic(program, { code: 'unused-tag', target, format: { tag } });
    else if (!description?.trim()) reportDiagnostic(program, { code: 'undescribed-tag', target, format: { tag } });
  }
};
