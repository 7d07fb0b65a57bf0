import { createTypeSpecLibrary, paramMessage } from '@typespec/compiler';

/** Reports a problem in a spec that compiles; the compiler adds file and line. */
export const { reportDiagnostic } = createTypeSpecLibrary({
  name: 'staffing',
  diagnostics: {
    'no-id': error(paramMessage`${'model'} needs a field "id" or a field with @identifies.`),
    'writable-id': error(
      paramMessage`The server gives ${'model'} its ids. Mark the field as read-only (@visibility(Lifecycle.Read)).`,
    ),
    'no-column': error(paramMessage`The type of ${'field'} can't be stored in a database column.`),
    'reserved-name': error(paramMessage`${'field'} is the name of a listing parameter. Rename the field.`),
    'sensitive-required': error(paramMessage`${'field'} is required and can't be sensitive (@sensitive).`),
    'unknown-resource': error(paramMessage`No model declares the resource ${'name'} (@resource).`),
    'no-resources': error(
      paramMessage`${'name'} needs the resources of its records (${'extension'} of its enumeration).`,
    ),
    'not-a-resource': error(paramMessage`${'at'}: ${'model'} must be a resource (@resource).`),
    'unknown-field': error(paramMessage`${'model'} has no field ${'field'}.`),
    'unknown-value': error(paramMessage`${'field'} can't have the value ${'value'}.`),
    'unknown-path': error(paramMessage`${'path'}: ${'model'} has no ${'step'}.`),
    'other-type': error(paramMessage`${'field'} (${'type'}) can't be compared with ${'other'} (${'otherType'}).`),
    'taken-name': error(paramMessage`The name ${'name'} is already used by ${'other'}.`),
    'invalid-name': error(
      paramMessage`The name ${'name'} must consist of lower-case letters and digits; a resource's may contain hyphens.`,
    ),
    'never-inactive': error(paramMessage`${'model'} has @keepsDeleted and also needs @inactiveWhen.`),
    'not-served': error(paramMessage`No interface serves ${'model'}.`),
    'other-resource': error(
      paramMessage`${'interface'} serves ${'model'}, but its operation ${'operation'} belongs to ${'other'}.`,
    ),
    'other-parent': error(
      paramMessage`${'field'} must refer to ${'parent'}, but refers to ${'references'} (@references).`,
    ),
    'invalid-segment': error(
      paramMessage`The path segment "${'segment'}" must consist of lower-case letters, digits and hyphens, starting with a letter.`,
    ),
    'no-verb': error(paramMessage`${'operation'} must be one of the five verbs: list, read, create, update or delete.`),
    'other-field': error(paramMessage`The path determines ${'field'}, but ${'operation'} names ${'other'}.`),
    'no-record-id': error(paramMessage`${'operation'} needs a parameter with the id of its record (@recordId).`),
    'no-status': error(paramMessage`${'code'} needs an HTTP status (@problem).`),
    'unknown-status': error(paramMessage`${'status'} must be the HTTP status of an error: 400 to 599.`),
    'no-message': error(paramMessage`${'code'} needs a message (@fieldProblem).`),
    'no-example': error(paramMessage`${'body'} is a body of ${'where'} and needs an example (@example).`),
    'no-deprecation-date': error(paramMessage`${'operation'} is deprecated and needs a date (@deprecatedSince).`),
    'no-dry-run': error(paramMessage`${'operation'} is a write and needs a method and the query parameter dry_run.`),
    'invalid-date': error(paramMessage`${'value'} must be a date in the form YYYY-MM-DD.`),
    'unused-tag': error(paramMessage`No operation has the tag ${'tag'} (@tagMetadata).`),
    'undescribed-tag': error(
      paramMessage`The tag ${'tag'} needs a description: the doc comment of the interface that serves the resource.`,
    ),
    undocumented: error(paramMessage`${'name'} needs a doc comment.`),
    'empty-status-set': error(paramMessage`The status set ${'name'} needs at least one member.`),
    'foreign-status': error(paramMessage`${'member'} must be a member of ${'enum'}.`),
    'unknown-status-set': error(paramMessage`${'field'} has no status set ${'name'} (@statusSet).`),
  },
});

function error<const M>(message: M) {
  return { severity: 'error', messages: { default: message } } as const;
}
