import { createTypeSpecLibrary, paramMessage } from '@typespec/compiler';

/** All that the generator reports against a spec that compiles, by code; the compiler adds file and line. */
export const { reportDiagnostic } = createTypeSpecLibrary({
  name: 'staffing',
  diagnostics: {
    'no-id': error(paramMessage`${'model'} has neither a field id nor a key.`),
    'no-column': error(paramMessage`No column can hold the type of ${'field'}.`),
    'reserved-name': error(paramMessage`${'field'} is a parameter of every listing.`),
    'gathered-scalar': error(paramMessage`${'field'} is gathered, but no object or array.`),
    'unknown-resource': error(paramMessage`There is no resource ${'name'}.`),
    'not-a-resource': error(paramMessage`${'at'}: ${'model'} is no resource.`),
    'unknown-field': error(paramMessage`${'model'} has no field ${'field'}.`),
    'unknown-value': error(paramMessage`${'field'} never has the value ${'value'}.`),
    'unknown-path': error(paramMessage`${'path'}: ${'model'} has no ${'step'}.`),
    'other-type': error(paramMessage`${'field'} (${'type'}) can't be compared with ${'other'} (${'otherType'}).`),
    'taken-name': error(paramMessage`${'name'} is the name of ${'other'} as well.`),
    'invalid-name': error(paramMessage`${'name'} is no name in lower case.`),
    'never-inactive': error(
      paramMessage`${'model'} keeps deleted records, but does not say when a record is inactive (@inactiveWhen).`,
    ),
    'not-served': error(paramMessage`No interface serves ${'model'}.`),
    'other-resource': error(
      paramMessage`${'interface'} serves ${'model'}, but its ${'operation'} is that of ${'other'}.`,
    ),
    'other-parent': error(paramMessage`${'field'} refers to ${'references'}, not to ${'parent'}.`),
    'invalid-segment': error(paramMessage`${'segment'} is no part of a path.`),
    'no-verb': error(paramMessage`${'operation'} is none of the five verbs.`),
    'other-field': error(paramMessage`The path has the value of ${'field'}, but ${'operation'} is told ${'other'}.`),
    'no-record-id': error(paramMessage`${'operation'} does not say where it has the id of its record (@recordId).`),
    'no-status': error(paramMessage`${'code'} has no HTTP status (@problem).`),
    'unknown-status': error(paramMessage`${'status'} is no HTTP status of an error.`),
    'no-message': error(paramMessage`${'code'} has no message (@fieldProblem).`),
    'no-example': error(paramMessage`${'body'} is a body of ${'where'}, and has no example (@example).`),
    'no-deprecation-date': error(
      paramMessage`${'operation'} is deprecated, but does not say since when (@deprecatedSince).`,
    ),
    'invalid-date': error(paramMessage`${'value'} is no date.`),
    undocumented: error(paramMessage`${'name'} has no doc comment.`),
    'empty-status-set': error(paramMessage`The set ${'name'} has no members.`),
    'foreign-status': error(paramMessage`${'member'} is no member of ${'enum'}.`),
    'unknown-status-set': error(paramMessage`${'field'} has no set ${'name'} of its values (@statusSet).`),
  },
});

function error<const M>(message: M) {
  return { severity: 'error', messages: { default: message } } as const;
}
