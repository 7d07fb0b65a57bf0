import type { Json } from '../../core/call/reply.ts';
import type { Cell, Cells } from '../../core/resource/cells.ts';
import { decode as decodeCell } from '../../core/resource/codec.ts';
import type { Member, Representation } from '../../core/resource/representation.ts';

/**
 * Returns records as plain values, for formats without an encoder of their own: an array, an object, or null for no
 * record.
 */
export const decode = ({ many, members, records }: Representation): Json => {
  if (many) return records.map(record => decodeRecord(members, record));
  const [record] = records;
  return record ? decodeRecord(members, record) : null;
};

/** Returns one record as an object. */
export const decodeRecord = (members: readonly Member[], cells: Cells): Json => {
  const values = cells.first(members.length);
  return Object.fromEntries(members.map((member, index) => [member.name, decodeMember(member, values[index] ?? null)]));
};

const decodeMember = (member: Member, cell: Cell): Json => {
  if ('type' in member) return decodeCell(member.type, cell as string | null);
  if (cell === null) return null;
  return member.many
    ? (cell as readonly Cells[]).map(record => decodeRecord(member.members, record))
    : decodeRecord(member.members, cell as Cells);
};
