import type { Facts } from './facts.ts';
import { header, print } from './print.ts';

interface StatusSchema {
  readonly 'x-status-map': object;
  readonly oneOf: readonly { readonly const: number; readonly title: string }[];
}

/** generated/status-map.ts: the statuses of assignments, and which ones can be reached from which. */
export const emitStatusMap = ({ document, statusNames }: Facts): string => {
  const schema = document.components?.schemas?.AssignmentStatus as unknown as StatusSchema | undefined;
  if (!schema) return `${header}\nexport {};\n`;
  const statuses = schema.oneOf.map(({ const: value, title }) => ({
    value,
    name: statusNames[value] ?? '',
    label: title,
  }));
  return `${header}
interface StatusMap {
  /** What a new assignment may have. */
  readonly create: readonly number[];
  /** What can be reached from each. */
  readonly from: Readonly<Record<number, readonly number[]>>;
}

/** Which statuses an assignment may have and go to. */
export const statusMap: StatusMap = ${print(schema['x-status-map'], 0, 38)};

/** The statuses, with their names for programs and for people. */
export const statuses = ${print(statuses, 0, 23)} as const;
`;
};
