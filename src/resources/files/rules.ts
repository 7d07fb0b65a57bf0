import { fileFieldsStatement, holderStatement, registeredOf } from '../../attributes/register.ts';
import { ApiError } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import type { Rules } from '../../engine/rules.ts';

/** A file cannot be deleted while a contract or a tenant's field refers to it; foreign keys check other references. */
export const files: Rules = {
  check: async ({ before, after }, transaction) => {
    if (
      before &&
      !after &&
      ((await isContract(before.path, transaction)) || (await isHeld(Number(before.id), transaction)))
    )
      throw new ApiError('still_referenced');
    return { errors: [] };
  },
};

const isContract = async (path: unknown, { kysely }: Transaction): Promise<boolean> => {
  const query = kysely.selectFrom('assignment_contract').select('id').where('file', '=', String(path)).limit(1);
  return (await query.executeTakeFirst()) !== undefined;
};

const isHeld = async (id: number, transaction: Transaction): Promise<boolean> => {
  const tenantId = transaction.tenant.id;
  const [result] = await transaction.send(fileFieldsStatement(tenantId));
  const fields = registeredOf(result);
  if (fields.length === 0) return false;
  const holders = await transaction.send(...fields.map(field => holderStatement(field, tenantId, id)));
  return holders.some(({ rows }) => rows.length > 0);
};
