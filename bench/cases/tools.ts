// What tools cost: what a call adds to a turn, and that it adds no more in a long session; how long a large output holds
// others up; what it takes to start a program, with and without the sandbox.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Session } from '../../lib/session/session.ts';
import { findSandbox } from '../../lib/tools/sandbox/find-sandbox.ts';
import type { Case } from '../bench.ts';
import { generatedTurns } from '../generated-session.ts';
import { measure, seconds } from '../measure.ts';
import { newSession } from '../sessions.ts';
import { answeringTool, longestBlock, programs, toolboxOf, turnWithTool } from '../tool-turns.ts';

const TURNS = 20;
/** With so many the window is full: what a request holds grows no more, and nothing else may. */
const FULL_WINDOW_EVENTS = 1_000;
const LARGE_BYTES = 10 * 1024 * 1024;
/** What nobody notices who is typing. */
const NOTICED_MS = 50;

export const run: Case = async function* ({ quick, seed, pairs, directory, progress }) {
  const events = quick ? 5_000 : 50_000;
  const short = await newSession(directory, 'short');
  const long = await newSession(directory, 'long');
  progress(`${events.toLocaleString('en')} events before`);
  await grow(short, FULL_WINDOW_EVENTS, seed);
  await grow(long, events, seed);

  progress('turns with a call');
  const runProgram = programs(directory);
  const lines = generatedLines(LARGE_BYTES, seed);
  const toolbox = toolboxOf([answeringTool('small', 'ok'), answeringTool('large', lines)]);
  const common = { directory, runProgram, toolbox };
  const call = { name: 'small', args: {} };
  const perTurn = async (turn: () => Promise<void>) => {
    const work = async () => {
      for (let count = 0; count < TURNS; count += 1) await turn();
    };
    return (1000 * (await seconds(work))) / TURNS;
  };
  yield* await measure(
    {
      what: `a turn with a call, in a session of ${events.toLocaleString('en')} events`,
      unit: 'ms',
      subject: () => perTurn(() => turnWithTool({ ...common, session: long, call })),
      against: [
        {
          name: `the same in one of ${FULL_WINDOW_EVENTS}`,
          goal: { atMost: 1.2 },
          run: () => perTurn(() => turnWithTool({ ...common, session: short, call })),
        },
        { name: 'a turn without a call', run: () => perTurn(() => turnWithTool({ ...common, session: long })) },
      ],
    },
    pairs,
  );

  progress('a large output');
  const file = join(directory, 'large.log');
  writeFileSync(file, lines);
  const outputs = [
    ['a tool that answers with 10 MB', { name: 'large', args: {} }],
    ['a program that prints 10 MB', { name: 'bash', args: { command: `cat ${file}` } }],
  ] as const;
  for (const [what, call] of outputs) {
    const turn = { ...common, session: short, call };
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
  await short.close('exit');
  await long.close('exit');

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

async function grow(session: Session, events: number, seed: number): Promise<void> {
  for (const turn of generatedTurns({ seed })) {
    await session.append(turn);
    if (session.writer.head.seq >= events) break;
  }
  // As the program does after its turns: what no window can reach is let go of.
  await session.save();
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
