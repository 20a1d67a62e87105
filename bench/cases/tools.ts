// What tools cost: what a call adds to a turn, and that it adds no more in a long session, whether somebody saves it or not; how
// long a large output holds others up; what it takes to start a program, with and without the sandbox.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NewOllmEvent } from '../../lib/events/index.ts';
import type { Session } from '../../lib/session/session.ts';
import { findSandbox } from '../../lib/tools/sandbox/find-sandbox.ts';
import type { Case } from '../bench.ts';
import { generatedTurns } from '../generated-session.ts';
import { measure, seconds } from '../measure.ts';
import { processorSecondsOf } from '../processor-seconds.ts';
import { newSession } from '../sessions.ts';
import { answeringTool, longestBlock, programs, toolboxOf, turnWithTool } from '../tool-turns.ts';

/** In one go: so many that a collection more or less is not what is seen. */
const TURNS = 20;
/** With so many the window is full: what a request holds grows no more, and nothing else may. */
const SHORT_EVENTS = 100;
const LONGER_EVENTS = [1_000, 5_000, 50_000];
/** How many times as often as others these are measured: those turns are over soon. */
const MORE_PAIRS = 3;
const LARGE_BYTES = 10 * 1024 * 1024;
/** What nobody notices who is typing. */
const NOTICED_MS = 50;

export const run: Case = async function* ({ seed, pairs, directory, progress }) {
  const runProgram = programs(directory);
  const lines = generatedLines(LARGE_BYTES, seed);
  const toolbox = toolboxOf([answeringTool('small', 'ok'), answeringTool('large', lines)]);
  const common = { directory, runProgram, toolbox };
  const call = { name: 'small', args: {} };

  /** What fills the window stands at the end of each session when its turns begin, so that all send the same. */
  const windowful = [...turnsUpTo(SHORT_EVENTS, seed)];
  const rounds =
    (open: () => Promise<Session>, { saves, calls = true }: RoundOptions) =>
    async () => {
      const session = await open();
      for (const turn of windowful) await session.append(turn);
      if (saves) await session.save();
      // What filling the window left behind, and a snapshot of all before it, is no turn's to clean up.
      globalThis.gc?.();
      const work = async () => {
        for (let count = 0; count < TURNS; count += 1) {
          await turnWithTool({ ...common, session, ...(calls ? { call } : {}) });
          if (saves) await session.save();
        }
      };
      return (1000 * (await processorSecondsOf(work))) / TURNS;
    };
  let sessions = 0;
  const anew = () => newSession(directory, `session-${++sessions}`);
  for (const saves of [true, false]) {
    const mode = saves ? 'saved after each turn' : 'never saved';
    for (const events of LONGER_EVENTS) {
      const length = `${events.toLocaleString('en')} events`;
      progress(`turns with a call, ${mode}, ${length} before`);
      const long = await anew();
      for (const turn of turnsUpTo(events, seed)) await long.append(turn);
      const what = `a turn with a call, in a session of ${length}, ${mode}`;
      const reference = { name: `the same in one of ${SHORT_EVENTS}`, goal: { atMost: 1.2 } };
      const [subject, run] = [async () => long, anew].map((open) => rounds(open, { saves }));
      yield* await measure(
        { what, unit: 'ms', subject: subject!, against: [{ ...reference, run: run! }] },
        pairs * MORE_PAIRS,
      );
      await long.close('exit');
    }
  }
  yield* await measure(
    {
      what: `a turn with a call, in a session of ${SHORT_EVENTS} events`,
      unit: 'ms',
      subject: rounds(anew, { saves: true }),
      against: [{ name: 'a turn without a call', run: rounds(anew, { saves: true, calls: false }) }],
    },
    pairs,
  );

  progress('a large output');
  const session = await anew();
  const file = join(directory, 'large.log');
  writeFileSync(file, lines);
  const outputs = [
    ['a tool that answers with 10 MB', { name: 'large', args: {} }],
    ['a program that prints 10 MB', { name: 'bash', args: { command: `cat ${file}` } }],
  ] as const;
  for (const [what, call] of outputs) {
    const turn = { ...common, session, call };
    for (const by of ['clock', 'processor'] as const)
      yield* await measure(
        {
          what: `longest block by the ${by}: ${what}`,
          unit: 'ms',
          subject: () => longestBlock(by, () => turnWithTool(turn)),
          against: [{ name: 'what is noticed', goal: { atMost: 1 }, run: () => NOTICED_MS }],
        },
        pairs,
      );
  }
  await session.close('exit');

  progress('starting programs');
  const found = await findSandbox();
  const start = (run: ReturnType<typeof programs>) => async () =>
    1000 * (await seconds(() => run({ argv: ['true'], cwd: directory }, { signal: new AbortController().signal })));
  const bare = async () => 1000 * (await seconds(() => once(spawn('/bin/true', { stdio: 'ignore' }), 'exit')));
  const floor = { name: 'spawn alone', run: bare };
  yield* await measure(
    { what: 'a program without sandbox', unit: 'ms', subject: start(runProgram), against: [floor] },
    pairs * 3,
  );
  if (found.available) {
    const confined = start(programs(directory, found.sandbox));
    const without = { name: 'without sandbox', run: start(runProgram) };
    yield* await measure(
      { what: `a program in ${found.sandbox.name}`, unit: 'ms', subject: confined, against: [floor, without] },
      pairs * 3,
    );
  } else yield { kind: 'skipped', what: 'a program in the sandbox', reason: found.reason };
};

interface RoundOptions {
  /** After each turn, as the program does. */
  readonly saves: boolean;
  readonly calls?: boolean;
}

/** Whole turns, so many that they are at least that many events. */
function* turnsUpTo(events: number, seed: number): Generator<NewOllmEvent[]> {
  let made = 0;
  for (const turn of generatedTurns({ seed })) {
    if (made >= events) return;
    made += turn.length;
    yield turn;
  }
}

/** Lines as logs have them, none like the other. */
function generatedLines(bytes: number, seed: number): string {
  const lines: string[] = [];
  for (let length = 0, number = seed; length < bytes; number += 1) {
    const line = `2026-01-01T00:00:${number % 60} [worker-${number % 7}] GET /things/${number * 7919} took ${number % 997} ms\n`;
    lines.push(line);
    length += line.length;
  }
  return lines.join('');
}
