// `ollm loop`: where the loop guard would have stopped the model, in one session or in all.
import { type Command, InvalidArgumentError } from 'commander';
import type { LoopTrial } from '../../app/sessions/try-loop-detection.ts';
import { printableLine } from '../../display/printable.ts';
import { countOf } from '../../display/quantities.ts';
import { OllmError } from '../../errors/index.ts';
import { action, type Finish, SESSION_ARGUMENT, withExamples } from '../command.ts';
import type { Output } from '../output.ts';

interface Options {
  readonly all?: boolean;
  readonly threshold?: readonly number[];
}

export function defineLoop(program: Command, finish: Finish): void {
  const command = program
    .command('loop')
    .description('say where the loop guard would have stopped the model, by which rule')
    .argument('[id]', SESSION_ARGUMENT)
    .option('--all', 'all sessions, those alone in which something was found')
    .option('--threshold <counts>', 'how often the same counts as a loop; several to compare: 2,3,5', parseThresholds)
    .action(
      action<Options, [string | undefined]>(finish, async ({ output, signal, openApp }, options, reference) => {
        const { all = false, threshold: thresholds } = options;
        if (all === (reference !== undefined)) {
          throw new OllmError('USAGE', 'Which session?', { hint: 'Give the id of one, or --all.' });
        }
        const app = await openApp('loop');
        const { tryLoopDetection } = await import('../../app/sessions/try-loop-detection.ts');
        const trials = tryLoopDetection(app, { reference, thresholds, signal });
        if (output.json) await output.records(trials);
        else await printAll(output, trials, { all });
        return 0;
      }),
    );
  withExamples(command, [
    { line: 'ollm loop @last', does: 'where it would have fired in the session used last' },
    { line: 'ollm loop --all --threshold 2,3,5', does: 'how often, at three thresholds, over all sessions' },
    { line: 'ollm loop notes --json | jq ".thresholds[].firings[].seq"', does: 'the events, to replay at' },
  ]);
}

async function printAll(output: Output, trials: AsyncIterable<LoopTrial>, { all }: { all: boolean }): Promise<void> {
  const sums = new Map<number, number>();
  let sessions = 0;
  for await (const trial of trials) {
    sessions += 1;
    for (const { threshold, firings } of trial.thresholds) {
      sums.set(threshold, (sums.get(threshold) ?? 0) + firings.length);
    }
    const isQuiet = trial.thresholds.every(({ firings }) => firings.length === 0);
    if (trial.problem !== undefined) output.warn(`${trial.id}: ${trial.problem}`);
    else if (!all || !isQuiet) await printTrial(output, trial);
  }
  if (!all) return;
  for (const [threshold, count] of sums) {
    await output.line(`threshold ${threshold}: ${countOf(count, 'firing')} in ${countOf(sessions, 'session')}`);
  }
}

async function printTrial(output: Output, { id, calls, outputs, thresholds }: LoopTrial): Promise<void> {
  await output.line(`${output.colors.cyan(id)}: ${countOf(calls, 'call')}, ${countOf(outputs, 'answer')}`);
  for (const { threshold, firings } of thresholds) {
    const found = firings.length === 0 ? 'never' : countOf(firings.length, 'time');
    await output.line(`  threshold ${threshold}: ${found}`);
    for (const { seq, turn, pattern, details } of firings) {
      const where = turn === undefined ? `event ${seq}` : `event ${seq}, turn ${turn}`;
      await output.line(`    ${where}  ${pattern}  ${printableLine(details)}`);
    }
  }
}

/** `3`, or `2,3,5`. */
function parseThresholds(text: string): readonly number[] {
  const counts = text.split(',').map(Number);
  if (counts.every((count) => Number.isSafeInteger(count) && count >= 2 && count <= 1000)) return [...new Set(counts)];
  throw new InvalidArgumentError('It must be a number from 2 on, or several: 2,3,5.');
}
