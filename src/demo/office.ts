import { flagOf } from '../core/resource/codec.ts';
import { rowsFrom } from './basics.ts';
import type { makeEmployees } from './people.ts';
import { instant, type Scene } from './scene.ts';

const day = 86_400;

/** The time slots that the availability requests ask for. */
export const timeSlots = [
  { id: 1, name: 'Day', category: 'weekday', week_days: [1, 2, 3, 4, 5], from: '06:00', to: '20:00' },
  { id: 2, name: 'Weekend', category: 'weekend', week_days: [6, 7], from: '10:00', to: '02:00' },
];

/** Makes availability requests for next month to some employees, half of them with responses. */
export const makeAvailability = (scene: Scene, active: readonly number[]) => {
  const requests = active.slice(0, 30).map((employee_id, index) => ({
    id: index + 1,
    employee_id,
    name: `Availability from ${scene.date(14)}`,
    from: scene.date(14),
    to: scene.date(27),
    completed_at: index % 2 === 0 ? scene.date(-1) : null,
  }));
  const requested = rowsFrom(14, 14, offset => ({ date: scene.date(offset), time_slot_id: 1 + (offset % 2) }));
  const rules = [{ id: 1, type: 'min', count: 4, message: 'Please choose four shifts at least.' }];
  return {
    availability_requests: requests,
    availability_requests_definitions: requests.map(({ id }) => ({
      availability_request_id: id,
      rules,
      time_slots: timeSlots,
      requested_availabilities: requested,
    })),
    availability_requests_availabilities: requests
      .filter(({ completed_at }) => completed_at !== null)
      .map(({ id }) => ({
        availability_request_id: id,
        availabilities: requested.map(slot => ({ ...slot, available: flagOf(scene.random.chance(0.6)) })),
      })),
  };
};

/**
 * Makes change requests for addresses of employees.
 * A third of them each is open, accepted (and made) and rejected.
 */
export const makeChangeRequests = (scene: Scene, active: ReturnType<typeof makeEmployees>) =>
  active.slice(0, 12).map(({ id: employee, address_first: address }, index) => {
    const status = 1 + (index % 3);
    const other = 'Lindenweg 4';
    const [old_value, new_value] = status === 2 ? [other, address] : [address, other];
    return {
      id: index + 1,
      entity: 'employees',
      entity_id: employee,
      status,
      requested_by: employee,
      requested_at: instant(scene.now - (index + 2) * day),
      decided_at: status === 1 ? null : instant(scene.now - day),
      changes: [{ attribute_id: 37, field: 'address_first', name: 'Address', type: 'text', old_value, new_value }],
    };
  });

/** Makes a report form with its questions. */
export const makeForms = () => ({
  forms: [{ id: 1, identifier: 'shift-feedback', name: 'Shift report', entity: 'assignments' }],
  attributes: [
    { id: 1, entity_id: 1, name: 'How did it go?', type: 'text', required: true, order: 1, deletable: true },
    { id: 2, entity_id: 1, name: 'Guests', type: 'number', required: false, order: 2, deletable: true },
  ],
});

/** Makes a tenant-defined collection of choices. */
export const makeCollections = () => ({
  collections: [{ id: 1, identifier: null, name: 'Clothing sizes' }],
  collection_values: ['S', 'M', 'L', 'XL'].map((name, index) => ({
    id: index + 1,
    collection_id: 1,
    name,
    order: index + 1,
  })),
});
