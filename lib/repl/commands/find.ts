// Finds the command that was typed, by its name or an alias, and the one that was probably meant when there is none.
import { OllmError } from '../../errors/index.ts';
import type { ReplCommand } from './command.ts';

/** @throws OllmError USAGE, with the nearest name */
export function findCommand(commands: readonly ReplCommand[], name: string): ReplCommand {
  const found = commands.find((command) => namesOf(command).includes(name));
  if (found) return found;
  const nearest = nearestName(name, commands.flatMap(namesOf));
  throw new OllmError('USAGE', `There is no command /${name}.`, {
    hint: `${nearest ? `Did you mean /${nearest}? ` : ''}/help lists the commands; //${name} sends the line as a message.`,
  });
}

function namesOf(command: ReplCommand): readonly string[] {
  return [command.name, ...(command.aliases ?? [])];
}

/** The name that few changes make of `typed`, or that it begins. */
export function nearestName(typed: string, names: readonly string[]): string | undefined {
  const ranked = names
    .map((name) => ({ name, changes: typed !== '' && name.startsWith(typed) ? 0 : editDistance(typed, name) }))
    .sort((one, other) => one.changes - other.changes);
  const best = ranked[0];
  return best && best.changes <= Math.max(1, Math.floor(typed.length / 3)) ? best.name : undefined;
}

/** Insertions, deletions, replacements and swaps of neighbours that lead from one to the other. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      let changes = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + (same ? 0 : 1));
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (swapped) changes = Math.min(changes, beforeLast[column - 2]! + 1);
      current.push(changes);
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length]!;
}
