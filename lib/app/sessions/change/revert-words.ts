// What putting files back would do, and did, in words: the same in the REPL and on the command line. Not cleaned: paths
// come from a journal.
import { countOf } from '../../../display/quantities.ts';
import type { OpaqueCall } from '../../../projections/file-changes.ts';
import type { PlannedFile, RevertedFile } from './revert-files.ts';

const EFFECTS: Readonly<Record<Exclude<PlannedFile['effect'], 'refuse'>, string>> = {
  restore: 'restore',
  make: 'make again',
  remove: 'remove',
  same: 'as it was already',
};

/** A single line: `restore src/greet.ts (+1 −1)`. */
export function plannedLine({ shown, effect, reason, addedLines, removedLines }: PlannedFile): string {
  if (effect === 'refuse') return `not put back: ${reason ?? shown}`;
  const lines = addedLines + removedLines === 0 ? '' : ` (+${addedLines} −${removedLines})`;
  return `${EFFECTS[effect]}: ${shown}${lines}`;
}

/** A single line: `restored src/greet.ts`. */
export function revertedLine({ shown, outcome, reason }: RevertedFile): string {
  if (outcome === 'refused') return `not put back: ${reason ?? shown}`;
  const words = { restored: 'restored', made: 'made again', removed: 'removed', same: 'as it was already' };
  return `${words[outcome]}: ${shown}`;
}

/** A sentence for calls of unknown effects; undefined without any. */
export function opaqueSentence(calls: readonly OpaqueCall[]): string | undefined {
  if (calls.length === 0) return undefined;
  const named = calls.map(({ tool, command }) => (command === undefined ? tool : `${tool} ${command}`));
  const shown = named.slice(0, MOST_NAMED).join('; ');
  const more = named.length > MOST_NAMED ? `; and ${named.length - MOST_NAMED} more` : '';
  const others = countOf(calls.length, 'other call');
  return `${others} may have changed files too, which cannot be put back: ${shown}${more}`;
}

const MOST_NAMED = 5;

/** `a.ts`, `a.ts and b.ts`, `a.ts, b.ts and 3 more`. */
export function listOfFiles(names: readonly string[]): string {
  if (names.length <= 1) return names.join('');
  const [first = '', second = ''] = names;
  return names.length === 2 ? `${first} and ${second}` : `${first}, ${second} and ${names.length - 2} more`;
}
