import { automate, book, guess, importRows, read, readResults, write } from './moves.ts';
import { pay, payMonth } from './paying.ts';
import type { CallerMove } from './situation.ts';
import type { SimulatedUser } from './users.ts';

/** Who calls. */
export interface CastMember {
  readonly name: string;
  readonly access: Parameters<typeof SimulatedUser.create>[2];
  /** What it does, the more often the more often it stands here. */
  readonly moves: readonly CallerMove[];
}

const robot = ['automations:read', 'automations:write', 'assignments:read', 'assignments:write'];
const staffing = ['event-functions:read', 'event-functions:write', 'checkins:read'];
const clients = ['clients:read', 'clients:write', 'employees:read', 'assignments:read', 'events:read'];

const often = (move: CallerMove): readonly CallerMove[] => Array(6).fill(move);

/** API users who see and may do different things. */
export const cast: readonly CastMember[] = [
  {
    name: 'owner',
    access: {},
    moves: [write, write, ...often(book), pay, payMonth, payMonth, payMonth, importRows],
  },
  { name: 'colleague', access: {}, moves: [write, write, ...often(book), pay, payMonth, importRows, read] },
  {
    name: 'dispatcher',
    access: { hidden: ['pay'] },
    moves: [write, ...often(book), read, read, importRows, readResults, readResults, guess],
  },
  {
    name: 'assistant',
    access: { hidden: ['contact', 'personal', 'health', 'identity'] },
    moves: [write, read, read, read, importRows, readResults, readResults, readResults, guess],
  },
  { name: 'integrator', access: { scopes: clients }, moves: [write, read, read, importRows, readResults] },
  { name: 'robot', access: { scopes: [...robot, ...staffing] }, moves: [automate, automate, automate, book] },
  {
    name: 'reader',
    access: { readOnly: true, hidden: ['pay', 'contact'] },
    moves: [write, read, read, read, readResults, readResults],
  },
];
