// The REPL without a terminal: each line that comes in is a turn or a command, answers go to standard output as plain
// text, all else to standard error. Nothing is drawn.
import { createPaint, type StyledLine } from '../display/paint.ts';
import { sanitize } from '../display/sanitize.ts';
import type { Entered } from './entered.ts';
import type { Front } from './front.ts';
import { type Assembly, createMessageAssembler } from './input/message.ts';
import { pipedLines } from './input/piped-lines.ts';
import type { ReplStreams } from './options.ts';
import { createPipedAnswer } from './piped-answer.ts';
import { MessageQueue } from './queue.ts';
import { createTurnView } from './turn-view.ts';

interface PipedFrontOptions {
  readonly streams: ReplStreams;
  /** Leaves out notices. */
  readonly quiet: boolean;
}

export function createPipedFront({ streams, quiet }: PipedFrontOptions): Front {
  const { output, errors } = streams;
  const paint = createPaint(false);
  const lines = pipedLines(streams.input);
  const assembler = createMessageAssembler();

  const print = (...printed: readonly (StyledLine | string)[]) => {
    for (const line of printed) output.write(`${sanitize(typeof line === 'string' ? line : paint.line(line))}\n`);
  };
  const notice = (text: string) => {
    if (!quiet) errors.write(`${sanitize(text)}\n`);
  };
  const problem = (message: string, hint?: string) => {
    errors.write(`ollm: ${sanitize(message)}\n${hint ? `${sanitize(hint)}\n` : ''}`);
  };

  const entered = (assembly: Assembly): Entered | undefined =>
    assembly.type === 'open' || assembly.type === 'empty' ? undefined : assembly;

  return {
    kind: 'pipe',
    paint,
    columns: Number.POSITIVE_INFINITY,
    async next() {
      for (;;) {
        const line = await lines.next();
        const result = entered(line.done ? assembler.end() : assembler.push(line.value));
        if (result) return result;
        if (line.done) return { type: 'end', reason: 'eof' };
      }
    },
    async show(said) {
      for (const { kind, ...each } of said) {
        if ('text' in each) print(...`${kind === 'user' ? '> ' : ''}${each.text}`.split('\n'));
      }
    },
    print,
    notice,
    problem,
    confirm: async () => false,
    decide: async () => 'later',
    approver: undefined,
    askToGoOn: undefined,
    externalEditor: undefined,
    switches: { reasoning: false },
    queue: new MessageQueue(),
    clearScreen() {},
    notify() {},
    openTurn: async () =>
      createTurnView(
        createPipedAnswer((text) => void output.write(text), notice),
        { notice, problem },
      ),
    close() {
      streams.input.destroy();
    },
  };
}
