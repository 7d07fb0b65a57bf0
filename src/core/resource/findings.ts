import { catalogue, errorReferences, fieldCatalogue } from '../../../generated/errors.ts';
import { ApiError, type FieldError, isErrorCode, messageOf } from '../errors.ts';
import { type Access, isAllowed } from './access.ts';
import type { Category } from './categories.ts';

/** An entry of the error catalogue: what in it not every caller may see. */
interface CatalogueEntry {
  readonly message: string;
  /** The code for callers from whom the category is hidden. */
  readonly saidAs?: { readonly category: Category; readonly code: string };
  /** The resource whose data message and members contain; null: that of the record that is written. */
  readonly tellsOf?: { readonly resource: string | null; readonly members: readonly string[] };
}

const entries: Readonly<Record<string, CatalogueEntry>> = { ...catalogue, ...fieldCatalogue };

/**
 * Returns an error of a field, or of a whole row, as the caller may see it.
 * With another code if its own reveals what is hidden, and without the data of records that the caller can't read. See
 * docs/decisions.md, "Sensitive fields".
 * @param written the name of the resource that is written
 */
export const presentedFinding = (finding: FieldError, access: Access, written?: string): FieldError => {
  const { saidAs, tellsOf }: Partial<CatalogueEntry> = entries[finding.code] ?? {};
  if (isHidden(saidAs, access)) {
    const code = saidAs?.code as FieldError['code'];
    return { ...finding, code, message: messageOf(code) };
  }
  const secret = isSecret(tellsOf, access, written) ? tellsOf : undefined;
  const told = Object.entries(finding).filter(
    ([name]) => !secret?.members.includes(name) && isRead(references[name], access),
  );
  const message = secret ? messageOf(finding.code) : finding.message;
  return { ...(Object.fromEntries(told) as FieldError), message };
};

const references: Readonly<Record<string, string>> = errorReferences;

const isRead = (resource: string | undefined, access: Access): boolean =>
  resource === undefined || isAllowed(access, resource, 'read');

/** Returns the codes in place of which an API user from whom categories are hidden gets another one. */
export const codesSaidAs = (hidden: readonly Category[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(entries).flatMap(([code, { saidAs }]) =>
      saidAs && hidden.includes(saidAs.category) ? [[code, saidAs.code]] : [],
    ),
  );

/** Returns an error, with its errors of fields, as the caller may see it; only ApiErrors change. */
export const presented = (error: unknown, access: Access, written?: string): unknown => {
  if (!(error instanceof ApiError) || (access.hidden.length === 0 && access.scopes.length === 0)) return error;
  const { code, headers, errors, extra, cause } = error;
  const { saidAs, tellsOf }: CatalogueEntry = catalogue[code];
  const more = {
    headers,
    extra,
    cause,
    ...(errors && { errors: errors.map(finding => presentedFinding(finding, access, written)) }),
  };
  const said = isHidden(saidAs, access) ? (saidAs?.code ?? code) : code;
  if (said !== code && isErrorCode(said)) return new ApiError(said, more);
  const { message, description } = error;
  return new ApiError(code, { ...more, description, ...(!isSecret(tellsOf, access, written) && { message }) });
};

const isHidden = (saidAs: CatalogueEntry['saidAs'], { hidden }: Access): boolean =>
  saidAs !== undefined && hidden.includes(saidAs.category);

const isSecret = (tellsOf: CatalogueEntry['tellsOf'], access: Access, written: string | undefined): boolean => {
  const resource = tellsOf?.resource ?? (tellsOf && written);
  return !isRead(resource, access);
};
