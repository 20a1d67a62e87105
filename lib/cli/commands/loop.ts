// `ollm loop`: where the loop guard would have stopped the model, in one session or in all. Turns of many requests are
// counted apart: at those it asks.
import { type Command, InvalidArgumentError } from 'commander';
import type { LoopTrial } from '../../app/sessions/read/try-loop-detection.ts';
import { printableLine } from '../../display/printable.ts';
import { countOf } from '../../display/quantities.ts';
import { shortId } from '../../display/short-id.ts';
import { OllmError } from '../../errors/index.ts';
import { action, CONVERSATION_ARGUMENT, type Finish, withExamples, withImportedOption } from '../command.ts';
import type { Output } from '../output.ts';

interface Options {
  readonly all?: boolean;
  readonly threshold?: readonly number[];
  readonly imported?: boolean;
}

export function defineLoop(program: Command, finish: Finish): void {
  const command = program
    .command('loop')
    .description('show where the loop guard would have stopped the model, and by which rule')
    .argument('[id]', CONVERSATION_ARGUMENT)
    .option('--all', 'all sessions; print only those with findings')
    .option('--threshold <counts>', 'repeats that count as a loop; several to compare: 2,3,5', parseThresholds)
    .action(
      action<Options, [string | undefined]>(finish, async ({ output, signal, openApp }, options, reference) => {
        const { all = false, threshold: thresholds, imported } = options;
        if (all === (reference !== undefined)) {
          throw new OllmError('USAGE', 'Which session?', { hint: 'Give the id of one, or --all.' });
        }
        const app = await openApp('loop');
        const { tryLoopDetection } = await import('../../app/sessions/read/try-loop-detection.ts');
        const trials = tryLoopDetection(app, { reference, thresholds, imported, signal });
        if (output.json) await output.records(trials);
        else await printAll(output, trials, { all });
      }),
    );
  withImportedOption(command);
  withExamples(command, [
    { line: 'ollm loop @last', does: 'where it would have stopped the last session' },
    { line: 'ollm loop --all --threshold 2,3,5', does: 'how often, at three thresholds, over all sessions' },
    { line: 'ollm loop notes --json | jq ".thresholds[].firings[].seq"', does: 'the events, to replay at' },
  ]);
}

async function printAll(output: Output, trials: AsyncIterable<LoopTrial>, { all }: { all: boolean }): Promise<void> {
  const sums = new Map<number, Firings>();
  let sessions = 0;
  for await (const trial of trials) {
    sessions += 1;
    for (const { threshold, firings } of trial.thresholds) {
      const { loops = 0, limits = 0 } = sums.get(threshold) ?? {};
      const found = countFirings(firings);
      sums.set(threshold, { loops: loops + found.loops, limits: limits + found.limits });
    }
    const isQuiet = trial.thresholds.every(({ firings }) => firings.length === 0);
    if (trial.problem !== undefined) output.warn(`${trial.id}: ${trial.problem}`);
    else if (!all || !isQuiet) await printTrial(output, trial);
  }
  if (!all) return;
  for (const [threshold, { loops, limits }] of sums) {
    const found = `${countOf(loops, 'firing')} in ${countOf(sessions, 'session')}`;
    await output.line(`threshold ${threshold}: ${found}${atLimit(limits)}`);
  }
}

async function printTrial(output: Output, { id, calls, outputs, thresholds }: LoopTrial): Promise<void> {
  await output.line(`${output.colors.cyan(shortId(id))}: ${countOf(calls, 'call')}, ${countOf(outputs, 'answer')}`);
  for (const { threshold, firings } of thresholds) {
    const { loops, limits } = countFirings(firings);
    await output.line(`  threshold ${threshold}: ${loops === 0 ? 'never' : countOf(loops, 'time')}${atLimit(limits)}`);
    for (const { seq, turn, pattern, details } of firings) {
      const where = turn === undefined ? `event ${seq}` : `event ${seq}, turn ${turn}`;
      await output.line(`    ${where}  ${pattern}  ${printableLine(details)}`);
    }
  }
}

interface Firings {
  readonly loops: number;
  /** Turns with so many requests that the user would have been asked whether to continue. */
  readonly limits: number;
}

function countFirings(firings: LoopTrial['thresholds'][number]['firings']): Firings {
  const limits = firings.filter(({ pattern }) => pattern === 'turn-limit').length;
  return { loops: firings.length - limits, limits };
}

function atLimit(limits: number): string {
  return limits === 0 ? '' : `; asks ${countOf(limits, 'time')} at the turn limit`;
}

/** `3`, or `2,3,5`. */
function parseThresholds(text: string): readonly number[] {
  const counts = text.split(',').map(Number);
  if (counts.every((count) => Number.isSafeInteger(count) && count >= 2 && count <= 1000)) return [...new Set(counts)];
  throw new InvalidArgumentError('It must be a number from 2 on, or several: 2,3,5.');
}
