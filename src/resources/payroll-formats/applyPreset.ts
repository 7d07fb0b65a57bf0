import { presets } from '../../../generated/payroll-presets.ts';
import { resources } from '../../../generated/resources.ts';
import type { Call } from '../../core/call/call.ts';
import { ApiError, type FieldError, fieldError, validationFailed } from '../../core/errors.ts';
import { root } from '../../core/root.ts';
import type { Action } from '../../engine/action.ts';
import { addRecord } from '../../engine/create.ts';
import { identify } from '../../engine/references/external-id.ts';
import { showRecord } from '../../engine/verb.ts';
import { payrollFormats } from './rules.ts';

/** POST /payroll-formats/presets/{preset}: makes a format of a preset. */
export const applyPreset: Action<'payrollFormats_applyPreset'> = (call, db) =>
  db.transaction(async transaction => {
    const { preset } = call.params;
    if (!Object.hasOwn(presets, preset)) throw new ApiError('not_found');
    const { format, ...needed } = presets[preset];
    const errors = (['variables', 'maps'] as const).flatMap(member =>
      needed[member].flatMap(name => missing(member, name, call.body[member] ?? {})),
    );
    if (errors.length > 0) throw validationFailed(errors);
    const resource = resources['payroll-formats'];
    const own = { ...call, body: { ...format, ...call.body } as unknown as Call['body'] };
    const identified = await identify(own, resource, transaction);
    const { id } = await addRecord(own, identified, resource, transaction, payrollFormats);
    void transaction.defer(transaction.kysely.updateTable('payroll_formats').set({ preset }).where('id', '=', id));
    const shown = await showRecord(resource, id, call, transaction);
    return { ...shown, status: 201, headers: { ...shown.headers, location: `${root}/${resource.name}/${id}` } };
  });

/** @returns the error of what the preset needs and is not given; a blank text is none */
const missing = (member: string, name: string, given: Readonly<Record<string, unknown>>): readonly FieldError[] =>
  Object.hasOwn(given, name) && !isBlank(given[name])
    ? []
    : [fieldError('not_empty', `${member}.${name}`, `${member}.${name}: a value is required.`)];

const isBlank = (value: unknown): boolean => typeof value === 'string' && value.trim() === '';
