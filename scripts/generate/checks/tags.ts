import { getAllTags, type Program } from '@typespec/compiler';
import { getTagsMetadata } from '@typespec/openapi';
import { namespaceOf } from '../spec/program.ts';
import { reportDiagnostic } from './diagnostics.ts';

/** Reports tags without a description, and declared ones that no operation has. */
export const checkTags = (program: Program): void => {
  const target = namespaceOf(program);
  const operations = [...target.interfaces.values()].flatMap(item => [...item.operations.values()]);
  const used = new Set(operations.flatMap(operation => getAllTags(program, operation) ?? []));
  for (const { name: tag, description } of getTagsMetadata(program, target) ?? []) {
    if (!used.has(tag)) reportDiagnostic(program, { code: 'unused-tag', target, format: { tag } });
    else if (!description?.trim()) reportDiagnostic(program, { code: 'undescribed-tag', target, format: { tag } });
  }
};
