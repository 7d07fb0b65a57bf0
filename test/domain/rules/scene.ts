import { judgeWork } from '../../../src/domain/rules/judge.ts';
import { nowhere, type Person, type WorkPiece } from '../../../src/domain/rules/piece.ts';
import type { KindName, WorkRule } from '../../../src/domain/rules/rule.ts';

/** Returns an instant of 2026 in UTC, such as `06-12 16:00`, in seconds. */
export const at = (text: string): number => Date.parse(`2026-${text.replace(' ', 'T')}:00Z`) / 1000;

/** Returns an assignment at times such as `06-12 16:00 – 06-12 22:00`, and a break alike. */
export const piece = (
  assignmentId: number | null,
  times: string,
  more: Partial<WorkPiece> & { pause?: string } = {},
): WorkPiece => {
  const [from = 0, to = 0] = times.split(' – ').map(at);
  const [start, end] = more.pause?.split(' – ').map(at) ?? [];
  const pause = start !== undefined && end !== undefined ? { from: start, to: end } : null;
  const { pause: _, ...others } = more;
  return { assignmentId, busyDateId: null, planned: { from, to, pause }, worked: [], placement: nowhere, ...others };
};

/** Returns a rule in Berlin that refuses. */
export const rule = (kind: KindName, parameters: object, more: Partial<WorkRule> = {}): WorkRule => ({
  id: 1,
  kind,
  mode: 'refuse',
  basis: 'both',
  parameters,
  appliesTo: {},
  except: null,
  validFrom: null,
  validTo: null,
  timeZone: 'Europe/Berlin',
  ...more,
});

export const somebody: Person = { id: 1, qualifications: [], birthday: null };

/** Judges somebody's work by one rule. */
export const judge = (judged: WorkRule, ...pieces: readonly WorkPiece[]) => judgeWork(somebody, pieces, [judged]);
