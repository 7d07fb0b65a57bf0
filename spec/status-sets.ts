import type { DecoratorContext, Enum, EnumMember } from '@typespec/compiler';
import { setExtension } from '@typespec/openapi';
import { markOf, setMark } from './conventions/marks.ts';

/** Records a named set of the enumeration's members, published in the document as `x-status-sets`. */
export const statusSet = (
  context: DecoratorContext,
  target: Enum,
  name: string,
  summary: string,
  ...members: readonly EnumMember[]
): void => {
  const all = [...(markOf(context.program, 'statusSets', target) ?? []), { name, summary, members }];
  setMark(context, 'statusSets', target, all);
  const shown = all.map(set => [set.name, set.members.map(({ value }) => value)]);
  setExtension(context.program, target, 'x-status-sets', Object.fromEntries(shown));
};
