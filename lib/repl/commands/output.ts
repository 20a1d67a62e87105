// /output, and Ctrl+O at an empty prompt: all that a tool brought back, of which the screen has shown a few lines.
import { formatBytes } from '../../display/quantities.ts';
import { sanitize, sanitizeLine } from '../../display/sanitize.ts';
import { OllmError } from '../../errors/index.ts';
import { diffLine, isDiff } from '../render/diff-lines.ts';
import type { Line } from '../render/paint.ts';
import { type ReplCommand, wrongUsage } from './command.ts';

export const outputCommand: ReplCommand = {
  name: 'output',
  group: 'tools',
  arguments: '[N]',
  summary: 'shows all that the last tool brought back, or the Nth from the end',
  details: 'Ctrl+O at an empty prompt does the same. What was too long to be kept whole says so',
  example: '/output 2',
  legal: 'always',
  async run({ front, conversation }, argument) {
    const back = argument.trim() === '' ? 1 : Number(argument);
    if (!Number.isInteger(back) || back < 1) throw wrongUsage(outputCommand, 'Which one, counted from the end?');
    const { findToolOutput } = await import('../../app/tool-outputs.ts');
    const found = findToolOutput(conversation.store, conversation.session.id, back);
    if (found === undefined) throw new OllmError('USAGE', 'There is no such output.');
    const { name, status, text, binaryBytes } = found;
    if (binaryBytes === undefined) front.print(...linesOf(text));
    front.notice(
      binaryBytes === undefined
        ? `That was ${sanitizeLine(name)}, ${status}.`
        : `The output of ${sanitizeLine(name)}, ${status}, is binary: ${formatBytes(binaryBytes)}.`,
    );
    return undefined;
  },
};

function linesOf(text: string): readonly (Line | string)[] {
  const lines = sanitize(text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  return isDiff(text) ? lines.map(diffLine) : lines;
}
