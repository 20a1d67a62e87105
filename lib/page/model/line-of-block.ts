import { todoProgress } from '../../messages/todos.ts';
import { type ShownBlock, textOf } from './blocks.ts';
import { subjectOf } from './call-summary.ts';
import { endingOf } from './ending.ts';
import { plural } from './numbers.ts';
import { latestPlan } from './plan.ts';
import { oneLine } from './visible.ts';

/** Longer text is cut by its line anyway. */
const MOST = 300;

/** What a block is, in one line. */
export function lineOf(block: ShownBlock): string {
  switch (block.kind) {
    case 'turn':
      return `Turn ${block.turn}`;
    case 'prompt':
    case 'reply':
      return oneLine(textOf(block.parts).slice(0, MOST)) || 'Nothing in words';
    case 'added':
      return block.title;
    case 'calls':
      return block.calls
        .slice(0, 5)
        .map((call) => `${oneLine(call.name)} ${subjectOf(call).slice(0, MOST)}`.trim())
        .join(', ');
    case 'plan':
      return `Plan: ${todoProgress(latestPlan(block.calls))}`;
    case 'compaction':
      return 'Compacted';
    case 'undone':
      return `Undone: ${plural(block.last - block.seq + 1, 'event')}`;
    case 'damage':
      return `Damage: ${plural(block.place.length, 'byte')}`;
    case 'end':
      return endingOf(block)?.text ?? 'The turn ended';
    case 'fact':
      return oneLine(block.text.slice(0, MOST));
  }
}
