import { getDoc, isTemplateDeclaration, type Model, type Program, type Type } from '@typespec/compiler';
import { isStatusCode } from '@typespec/http';
import { markOf } from '../../../spec/conventions/marks.ts';
import { namespaceOf } from '../program.ts';
import { reportDiagnostic } from './diagnostics.ts';

/** Reports models, fields, enumerations, scalars, unions, interfaces and operations without a doc comment. */
export const checkDocumentation = (program: Program): void => {
  const demand = (target: Type, name: string): void => {
    if (!getDoc(program, target)?.trim()) reportDiagnostic(program, { code: 'undocumented', target, format: { name } });
  };
  const demandFields = (model: Model, name = model.name): void => {
    for (const property of model.properties.values()) {
      if (!isStatusCode(program, property)) demand(property, `${name}.${property.name}`);
      if (property.type.kind === 'Model' && property.type.name === '')
        demandFields(property.type, `${name}.${property.name}`);
    }
  };
  const { models, enums, scalars, unions, interfaces } = namespaceOf(program);
  for (const model of models.values()) {
    if (isTemplateDeclaration(model)) continue;
    demand(model, model.name);
    demandFields(model);
  }
  for (const item of enums.values()) {
    demand(item, item.name);
    for (const member of item.members.values()) demand(member, `${item.name}.${member.name}`);
  }
  for (const item of [...scalars.values(), ...unions.values()]) demand(item, item.name ?? '');
  for (const item of interfaces.values()) {
    if (isTemplateDeclaration(item)) continue;
    // Those that serve nested records have no tag of their own.
    if (markOf(program, 'serves', item)) demand(item, item.name);
    for (const operation of item.operations.values()) {
      demand(operation, `${item.name}.${operation.name}`);
      demandFields(operation.parameters, `${item.name}.${operation.name}`);
    }
  }
};
