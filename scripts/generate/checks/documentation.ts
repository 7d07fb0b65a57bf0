import { getDoc, isTemplateDeclaration, type Model, type Program, type Type } from '@typespec/compiler';
import { isStatusCode } from '@typespec/http';
import { getExtensions } from '@typespec/openapi';
import { markOf } from '../../../spec/conventions/marks.ts';
import { namespaceOf } from '../spec/program.ts';
import { reportDiagnostic } from './diagnostics.ts';

/** Reports declarations without a doc comment or, where the generator has made them, a description. */
export const checkDocumentation = (program: Program): void => {
  const requireDoc = (target: Type, name: string): void => {
    if (!getDoc(program, target)?.trim() && !getExtensions(program, target).has('description' as 'x-'))
      reportDiagnostic(program, { code: 'undocumented', target, format: { name } });
  };
  const requireFieldDocs = (model: Model, name = model.name): void => {
    for (const property of model.properties.values()) {
      if (!isStatusCode(program, property)) requireDoc(property, `${name}.${property.name}`);
      if (property.type.kind === 'Model' && property.type.name === '')
        requireFieldDocs(property.type, `${name}.${property.name}`);
    }
  };
  const { models, enums, scalars, unions, interfaces } = namespaceOf(program);
  for (const model of models.values()) {
    if (isTemplateDeclaration(model)) continue;
    requireDoc(model, model.name);
    requireFieldDocs(model);
  }
  for (const item of enums.values()) {
    requireDoc(item, item.name);
    for (const member of item.members.values()) requireDoc(member, `${item.name}.${member.name}`);
  }
  for (const item of [...scalars.values(), ...unions.values()]) requireDoc(item, item.name ?? '');
  for (const item of interfaces.values()) {
    if (isTemplateDeclaration(item)) continue;
    // An interface of nested records has no tag of its own that its doc comment would describe.
    if (markOf(program, 'serves', item)) requireDoc(item, item.name);
    for (const operation of item.operations.values()) {
      requireDoc(operation, `${item.name}.${operation.name}`);
      requireFieldDocs(operation.parameters, `${item.name}.${operation.name}`);
    }
  }
};
