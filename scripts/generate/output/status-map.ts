import type { Facts } from '../spec/facts.ts';
import { header, print } from './print.ts';

interface StatusSchema {
  readonly 'x-status-map': object;
  readonly oneOf: readonly { readonly const: number; readonly title: string }[];
}

/** Returns generated/status-map.ts: the statuses of assignments and the allowed changes between them. */
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
  /** The statuses that a new assignment may have. */
  readonly create: readonly number[];
  /** The statuses that can be reached from each status. */
  readonly from: Readonly<Record<number, readonly number[]>>;
}

/** The statuses of new assignments and the allowed changes of status. */
export const statusMap: StatusMap = ${print(schema['x-status-map'], 0, 38)};

/** The statuses with their identifiers and display names. */
export const statuses = ${print(statuses, 0, 23)} as const;
`;
};
