// What speed rests on and what is no noise: files that a command loads, calls to the system and bytes for an event, parses
// of a replay, characters that a turn counts the tokens of, bytes that a session writes. The same on every machine, so that more
// than the limit fails the run; a limit is the count of today and a tenth, or one more where it is whole.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { estimatingCounter } from '../../lib/tokens/estimate.ts';
import type { Case } from '../bench.ts';
import { countingCounter, watchedFileSystem } from '../counting.ts';
import { distinctWords, generatedEvents, turnsUpTo } from '../generated-session.ts';
import { MOST_MODULES } from '../loaded-modules.ts';
import type { Count } from '../measure.ts';
import type { ParsesOrder } from '../parses-child.ts';
import { charactersOf, newTexts, type TurnScript, turnPlayer } from '../played-turns.ts';
import { buildProgram } from '../program.ts';
import { hastyFileSystem, newJournal, newSession, sessionsDirectory, writeJournal } from '../sessions.ts';
import { callsOfRound, noTracer } from '../system-calls.ts';

/** Turns whose counting is compared: what grows with the session is ten times as much by then. */
const [EARLY_COUNTED_TURN, LAST_COUNTED_TURN] = [10, 100];
const PARSES_CHILD = fileURLToPath(new URL('../parses-child.ts', import.meta.url));
const WRITTEN_EVENTS = 5_000;

export const run: Case = async function* ({ seed, directory, progress }) {
  progress('modules');
  yield* await modules(directory, seed);
  progress('system calls');
  const reason = noTracer();
  if (reason) yield { kind: 'skipped', what: 'system calls of an append', reason };
  else yield* systemCalls(directory);
  progress('bytes');
  yield await bytes(directory, seed);
  progress('parses');
  yield* await parses(directory, seed);
  progress('characters');
  yield* await countedCharacters(directory);
  progress('writing');
  yield await writing(directory, seed);
};

async function modules(directory: string, seed: number): Promise<Count[]> {
  const program = await buildProgram(directory);
  const home = join(directory, 'home');
  mkdirSync(home);
  await writeJournal(sessionsDirectory(home), 'walk', 200, { seed });
  const counts: Count[] = [];
  for (const [args, atMost] of MOST_MODULES) {
    const loaded = await program.modules(home, ...args);
    counts.push({ kind: 'count', what: `ollm ${args.join(' ')}`, unit: 'files loaded', count: loaded.length, atMost });
  }
  return counts;
}

function* systemCalls(directory: string): Generator<Count> {
  const cases = [
    { what: 'an append, level process', durability: 'process', callers: 1, calls: 2, syncs: 0 },
    { what: 'an append, level disk', durability: 'disk', callers: 1, calls: 3, syncs: 1 },
    // What comes in one tick is one write with one sync: nothing here is left to who is scheduled when.
    { what: '64 appends at once, level disk', durability: 'disk', callers: 64, calls: 3, syncs: 1 },
  ] as const;
  for (const { what, durability, callers, calls, syncs } of cases) {
    const counted = callsOfRound(directory, { durability, callers });
    const all = Object.values(counted).reduce((sum, count) => sum + count, 0);
    yield { kind: 'count', what, unit: 'system calls', count: all, atMost: calls };
    yield { kind: 'count', what, unit: 'fdatasync', count: counted.fdatasync ?? 0, atMost: syncs };
  }
}

/** What a line costs above the event that it holds. */
async function bytes(directory: string, seed: number): Promise<Count> {
  const events = [...generatedEvents(1000, { seed })];
  const writer = await newJournal(directory);
  const before = writer.head.offset;
  await writer.append(events);
  const written = writer.head.offset - before;
  await writer.close();
  const held = events.reduce((sum, { data }) => sum + Buffer.byteLength(JSON.stringify(data)), 0);
  return {
    kind: 'count',
    what: 'an event',
    unit: 'bytes beside its data',
    count: (written - held) / events.length,
    atMost: 150,
  };
}

async function parses(directory: string, seed: number): Promise<Count[]> {
  const { events } = await writeJournal(directory, 'parsed', 5000, { seed });
  const limits = { session: 0.5, view: 0.5, summary: 0.5, budget: 0.57, loop: 0.5, context: 0.0004 };
  return Object.entries(limits).map(([fold, atMost]) => {
    const order: ParsesOrder = { directory, id: 'parsed', fold };
    const child = ['--no-warnings', PARSES_CHILD, JSON.stringify(order)];
    const count = Number(execFileSync(process.execPath, child, { encoding: 'utf8' })) / events;
    return { kind: 'count', what: `a replay to ${fold}`, unit: 'parses per event', count, atMost };
  });
}

/** In turns that are all as long, and none says what one before it said. */
async function countedCharacters(directory: string): Promise<Count[]> {
  const session = await newSession(directory, 'counted');
  let counter = countingCounter(estimatingCounter);
  const play = turnPlayer(directory, () => counter);
  const counts: Count[] = [];
  for (let turn = 1; turn <= LAST_COUNTED_TURN; turn += 1) {
    const script = scriptOfTurn(turn);
    counter = countingCounter(estimatingCounter);
    await play(session, script);
    if (turn !== EARLY_COUNTED_TURN && turn !== LAST_COUNTED_TURN) continue;
    counts.push({
      kind: 'count',
      what: `turn ${turn} of a session, its tokens`,
      unit: 'characters counted per new one',
      count: charactersOf(counter.texts) / charactersOf(newTexts(script)),
      atMost: 1.05,
    });
  }
  await session.close('exit');
  return counts;
}

function scriptOfTurn(turn: number): TurnScript {
  const words = distinctWords(800, turn);
  const text = (from: number, to: number) => words.slice(from, to).join('');
  const outputs = [text(0, 300), text(300, 600)];
  return {
    question: text(600, 620),
    calls: outputs.map((output, step) => ({ args: { step, turn }, output })),
    answer: text(620, 800),
  };
}

/** What a session writes beside its journal: state files and snapshots are a constant share of it. */
async function writing(directory: string, seed: number): Promise<Count> {
  let written = 0;
  const counting = watchedFileSystem(hastyFileSystem, (bytes) => {
    written += bytes;
  });
  const session = await newSession(directory, 'written', { fileSystem: counting });
  for (const turn of turnsUpTo(WRITTEN_EVENTS, seed)) {
    await session.append(turn);
    await session.save();
  }
  await session.close('exit');
  return {
    kind: 'count',
    what: `a session of ${WRITTEN_EVENTS.toLocaleString('en')} events, saved behind each turn`,
    unit: 'bytes written per byte of its journal',
    count: written / session.writer.head.offset,
    atMost: 7.5,
  };
}
