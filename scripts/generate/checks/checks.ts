import type { Program } from '@typespec/compiler';
import { nestedInterfaces, resourceModels } from '../spec/models.ts';
import { checkAutomations } from './automations.ts';
import { checkCodes } from './codes.ts';
import { checkDocumentation } from './documentation.ts';
import { checkDryRuns } from './dry-runs.ts';
import { checkExamples } from './examples.ts';
import { checkFields } from './fields.ts';
import { checkInterfaces } from './interfaces.ts';
import { checkListings } from './listings.ts';
import { checkNested } from './nested.ts';
import { checkRelations } from './relations.ts';
import { checkResources } from './resources.ts';
import { checkStatusSets } from './status-sets.ts';
import { checkTags } from './tags.ts';

/** Reports every violation of the spec's conventions as a diagnostic of the program. */
export const checkSpec = (program: Program): void => {
  checkResources(program);
  for (const model of resourceModels(program)) {
    checkFields(program, model);
    checkRelations(program, model);
  }
  checkInterfaces(program);
  for (const nested of nestedInterfaces(program)) checkNested(program, nested);
  checkDryRuns(program);
  checkListings(program);
  checkCodes(program);
  checkAutomations(program);
  checkStatusSets(program);
  checkTags(program);
  checkExamples(program);
  checkDocumentation(program);
};
