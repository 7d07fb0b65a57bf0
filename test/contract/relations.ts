/**
 * The relations of the specification's resource chapters: an independent copy for comparison, as `relation resource from to`, followed by
 * `|` and the inverse relation.
 */
export const relations: Readonly<Record<string, readonly string[]>> = {
  assignments: [
    'assignmentEmployee employees employee_id id | employeeAssignments',
    'assignmentEvent events event_id id | eventAssignments',
    'assignmentProject projects project_id id | projectAssignments',
    'assignmentFunction event-functions event_function_id id | eventFunctionAssignments',
    'assignmentWageProfile wage-profiles wage_profile_id id | wageProfileAssignments',
    'assignmentLocation locations location_id id | locationAssignments',
    'paysheets paysheets id assignment_id | paysheetAssignment',
    'work-times work-times id event_function_employee_id | workTimeAssignment',
    'wages assignment-wages id assignment_id | wageAssignment',
    'report assignment-employment-reports id assignment_id | reportAssignment',
    'contract assignment-contract id assignment_id | contractAssignment',
    'work-time-proposals work-time-proposals id assignment_id | workTimeProposalAssignment',
    'wage-proposals wage-proposals id assignment_id | wageProposalAssignment',
    'livestamps livestamps id assignment_id | livestampAssignment',
    'checkins checkins id assignment_id | checkInAssignment',
  ],
  'assignment-contract': ['contractAssignment assignments assignment_id id | contract'],
  'assignment-employment-reports': ['reportAssignment assignments assignment_id id | report'],
  'assignment-wages': [
    'wageAssignment assignments assignment_id id | wages',
    'wageProfile wage-profiles wage_profile_id id | wageProfileWages',
  ],
  attributes: [
    'attributeCollection collections collection_id id | collectionAttributes',
    'languages languages language_id id | languageAttributes',
  ],
  'availability-requests': [
    'employee employees employee_id id | employeeAvailabilityRequests',
    'definition availability-requests-definitions id availability_request_id | definitionRequest',
    'availabilities availability-requests-availabilities id availability_request_id | availabilityRequest',
  ],
  'busy-dates': ['busyDatesEmployee employees employee_id id | employeeBusyDates'],
  checkins: ['checkInAssignment assignments assignment_id id | checkins'],
  clients: [
    'clientEvents events id client_id | eventClient',
    'clientProjects projects id client_id | projectClient',
    'clientContacts contacts id client_id | contactClient',
  ],
  contacts: [
    'contactClient clients client_id id | clientContacts',
    'contactEvents events id contact_id | eventContact',
    'contactProjects projects id contact_id | projectContact',
  ],
};

/** The relations to one record; all others are to any number of records. */
export const single: ReadonlySet<string> = new Set(['report', 'contract', 'definition', 'availabilities']);
