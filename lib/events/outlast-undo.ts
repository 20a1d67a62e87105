// Which events an undo does not take back: settings of the session, and what happened to its journal. Decision 0004.
import type { EventType } from './index.ts';

const OUTLASTING: ReadonlySet<string> = new Set([
  ...(['session.titled', 'model.changed', 'tools.changed', 'setting.changed'] as const),
  ...(['context.added', 'context.removed', 'context.cleared', 'branch.moved'] as const),
  ...(['writer.opened', 'journal.recovered', 'journal.repaired'] as const),
] satisfies EventType[]);

/**
 * Whether an event of this type stays as it is when the turn that it came in is undone.
 *
 * @example
 * outlastsUndo('model.changed'); // true
 * outlastsUndo('message.added'); // false
 */
export function outlastsUndo(type: string): boolean {
  return OUTLASTING.has(type);
}
