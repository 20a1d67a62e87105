// /output, and Ctrl+O at an empty prompt: all that a tool brought back, of which the screen has shown a few lines.
import { setImmediate } from 'node:timers/promises';
import { formatBytes } from '../../display/quantities.ts';
import { sanitize, sanitizeLine } from '../../display/sanitize.ts';
import { OllmError } from '../../errors/index.ts';
import { diffLine, isDiff } from '../render/diff-lines.ts';
import type { Line } from '../../display/paint.ts';
import { type CommandContext, type ReplCommand, wrongUsage } from './command.ts';

const LINES_AT_ONCE = 500;

export const outputCommand: ReplCommand = {
  name: 'output',
  group: 'tools',
  arguments: '[N]',
  summary: 'shows the whole output of the last tool, or of the Nth from the end',
  details: 'Ctrl+O at an empty prompt does the same. An output that was too long to keep whole says so',
  example: '/output 2',
  legal: 'always',
  async run({ front, conversation, signal }, argument) {
    const back = argument.trim() === '' ? 1 : Number(argument);
    if (!Number.isInteger(back) || back < 1) throw wrongUsage(outputCommand, 'Which one, counted from the end?');
    const { findToolOutput } = await import('../../app/tools/tool-outputs.ts');
    const found = await findToolOutput(conversation.store, conversation.session.id, back);
    if (found === undefined) throw new OllmError('USAGE', 'There is no such output.');
    const { name, status, text, binaryBytes } = found;
    if (binaryBytes === undefined) await printAll(front, linesOf(text), signal);
    front.notice(
      binaryBytes === undefined
        ? `That was ${sanitizeLine(name)}, ${status}.`
        : `The output of ${sanitizeLine(name)}, ${status}, is binary: ${formatBytes(binaryBytes)}.`,
    );
    return undefined;
  },
};

/** In pieces: Ctrl+C ends it, and a long one holds nothing up. */
async function printAll(
  front: CommandContext['front'],
  lines: readonly (Line | string)[],
  signal: AbortSignal,
): Promise<void> {
  for (let from = 0; from < lines.length && !signal.aborted; from += LINES_AT_ONCE) {
    front.print(...lines.slice(from, from + LINES_AT_ONCE));
    await setImmediate();
  }
}

function linesOf(text: string): readonly (Line | string)[] {
  const lines = sanitize(text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  return isDiff(text) ? lines.map(diffLine) : lines;
}
