// The cost of a turn, and its parts: a turn in a long session compared with one in a short session, the first token on
// the screen, loop detection, compaction, redaction, and the services with a requirement.
import { setTimeout as sleep } from 'node:timers/promises';
import { newSession, openStore, sessionOf } from '../../__tests__/support/generated-journals.ts';
import { distinctWords, generatedEvents, generatedTurns } from '../../__tests__/support/generated-session.ts';
import { playTurn, turnDependencies } from '../../__tests__/support/played-turn.ts';
import { scriptedProvider } from '../../__tests__/support/scripted-provider.ts';
import { startSpokenModel } from '../../__tests__/support/spoken-model.ts';
import { DEFAULT_COMPACTION } from '../../lib/context/compaction/due.ts';
import { createRedactor } from '../../lib/environment/redact.ts';
import type { OllmEventOf } from '../../lib/events/index.ts';
import { createChatCompressionService } from '../../lib/library/chat-compression-service.ts';
import { createChatRecordingService } from '../../lib/library/chat-recording-service.ts';
import { type LoopState, loopFold } from '../../lib/projections/loop.ts';
import type { Session } from '../../lib/session/session.ts';
import { compact } from '../../lib/turn/compaction/compact.ts';
import type { Bench, Case } from '../case.ts';
import { type Contest, milliseconds, type Note, processorMilliseconds } from '../measure.ts';
import { openTerminal, processorMs } from '../program.ts';

/** The bytes that the REPL writes before each input. */
const READY = '\x1b[32m> ';
/** A person reads the prompt, and types. */
const IDLE_MS = 2_000;

export const run: Case = async function* (bench) {
  yield* wholeTurns(bench);
  yield* turnsOnScreen(bench);
  yield* loops(bench);
  yield redaction(bench);
  yield* compaction(bench);
  yield* services(bench);
};

/** Equal turns after 1,000 and 1,000,000 events. */
async function* wholeTurns({ size, directory }: Bench): AsyncGenerator<Contest> {
  const generated = generatedTurns({ seed: 2 });
  const sample = Array.from({ length: 25 }, () => generated.next().value!);
  const sessionAt = async (length: number) => {
    const session = await sessionOf(directory, `turns-${length}`, length);
    await session.save({ snapshot: 'now' });
    return session;
  };
  const turnsIn = (session: Session) => async () => {
    const ms = await processorMilliseconds(async () => {
      for (const turn of sample) {
        await playTurn(session, directory, turn);
        await session.save();
      }
    });
    return ms / sample.length;
  };
  const length = size(1_000_000, 2_000);
  const [short, long] = [await sessionAt(1_000), await sessionAt(length)];
  const what = `a turn at ${length.toLocaleString('en')} events, processor time`;
  yield { what, ollm: turnsIn(long), against: [['the same at 1,000', turnsIn(short), 1.2]] };
  for (const session of [short, long]) await session.close('exit');
}

/** The REPL, with a server of a model on this machine: each row is a part of what a user waits for. */
async function* turnsOnScreen(bench: Bench): AsyncGenerator<Contest | Note> {
  const home = bench.home();
  await using model = await startSpokenModel();
  const variables = { OLLM_PROVIDERS__OPENAI__BASE_URL: `${model.url}/v1`, OPENAI_API_KEY: 'k' };
  const options = ['repl', '--new', '--provider', 'openai', '--model', 'gpt-4o'];
  const opened = async () => {
    const terminal = openTerminal(home, options, variables);
    await terminal.shows(READY);
    return terminal;
  };

  /** Takes a turn; `measured` begins when the request has come. */
  const turn = async (terminal: Awaited<ReturnType<typeof opened>>, measured: () => Promise<number> | number) => {
    terminal.type('go\r');
    await model.say('');
    const ms = await measured();
    const ready = terminal.shows(READY);
    await model.finish();
    await ready;
    return ms;
  };

  const talk = await opened();
  let tokens = 0;
  const token = () =>
    turn(talk, async () => {
      await sleep(200);
      const word = `token${++tokens}x`;
      const shown = talk.shows(word);
      const sent = performance.now();
      await model.say(`${word} `);
      return (await shown) - sent;
    });
  yield { what: 'first token on the screen', ollm: token, limit: 5, rounds: 15 };
  await talk.leave();

  const what = 'first turn of a process, Enter to the request, processor time';
  if (process.platform !== 'linux')
    return yield { what, skipped: 'only Linux tells the processor time of another process' };
  // In steps of ten milliseconds.
  const toRequest = async () => {
    const terminal = await opened();
    await sleep(IDLE_MS);
    const before = processorMs(terminal.pid);
    const ms = await turn(terminal, () => processorMs(terminal.pid) - before);
    await terminal.leave();
    return ms;
  };
  yield { what, ollm: toRequest, limit: 150 };
}

function loops({ size }: Bench): Contest[] {
  type LoopEvent = OllmEventOf<(typeof loopFold.reads)[number]>;
  const loopEvents = (count: number, seed: number) =>
    [...generatedEvents(count, { seed })]
      .filter(({ type }) => (loopFold.reads as readonly string[]).includes(type))
      .map((event, seq) => ({ ...event, seq, ts: '2026-01-01T00:00:00.000Z' }) as LoopEvent);
  const step = (state: LoopState, event: LoopEvent) => loopFold.apply(state, event) as LoopState;
  const before = loopEvents(size(100_000, 1_000), 1).reduce(step, loopFold.initial());
  const sample = loopEvents(6_000, 2);
  const calls = sample.filter(({ type }) => type.startsWith('tool.')).slice(0, 1000);
  const answers = sample.filter((event) => event.type === 'message.added' && event.data.role === 'assistant');
  const each = (work: readonly LoopEvent[], count: number) => async () => {
    const state = structuredClone(before);
    return (1000 * (await processorMilliseconds(() => work.reduce(step, state)))) / count;
  };
  const [unit, limit] = ['µs', 100];
  return [
    { what: 'loop detection, a call and its result', unit, limit, ollm: each(calls, calls.length / 2) },
    { what: 'loop detection, an answer', unit, limit, ollm: each(answers, answers.length) },
  ];
}

function redaction({ size }: Bench): Contest {
  const redactor = createRedactor({ secretValues: ['correct-horse-battery', 'staple-0123456789'] });
  let text = '';
  for (const event of generatedEvents(Number.POSITIVE_INFINITY)) {
    if (event.type !== 'tool.finished') continue;
    text += `${event.data.result.llmContent} ghp_${'0123456789abcdef'.repeat(3).slice(0, 36)} `;
    if (text.length >= size(10e6, 1e5)) break;
  }
  const what = `redaction of ${(Buffer.byteLength(text) / 1e6).toFixed(1)} MB`;
  return { what, ollm: () => milliseconds(() => redactor.redact(text)), limit: 1000 };
}

/** Compacts messages in memory without a model, and takes it back. Processor time of the first. */
async function* compaction({ size, directory }: Bench): AsyncGenerator<Contest> {
  const count = size(10_000, 100);
  const session = await newSession(directory, 'compacted');
  await session.reach(1e9);
  let messages = 0;
  for (const turn of generatedTurns()) {
    await session.append(turn);
    messages += turn.filter(({ type }) => type === 'message.added').length;
    if (messages >= count) break;
  }
  const provider = scriptedProvider(() => {
    throw new Error('It asks no model.');
  });
  const dependencies = { ...turnDependencies(directory), provider, contextWindow: 1e9 };
  const settings = { ...DEFAULT_COMPACTION, strategy: 'truncate', preserveRecentTokens: 4096 } as const;
  const { signal } = new AbortController();
  let seq = 0;
  const truncate = async () => {
    const result = await compact(session, dependencies, { settings, by: 'user', signal });
    if (result.kind !== 'compacted') throw new Error('nothing was compacted');
    seq = result.seq;
  };
  const truncated = async () => {
    const ms = await processorMilliseconds(truncate);
    await session.append({ type: 'compaction.undone', data: { seq } });
    return ms;
  };
  yield { what: `compaction of ${count.toLocaleString('en')} messages by truncation`, ollm: truncated, limit: 150 };
  await session.close('exit');
}

/** The targets of the requirements. */
async function* services({ home }: Bench): AsyncGenerator<Contest> {
  const recording = createChatRecordingService({ store: openStore(home('services')) });
  const id = await recording.createSession('m', 'bench');
  const conversation = distinctWords(100, 3).map((word, index) => ({
    role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
    parts: [{ type: 'text' as const, text: word.repeat(100) }],
    timestamp: '2026-01-01T00:00:00.000Z',
  }));
  for (const message of conversation) await recording.recordMessage(id, message);
  const { compress } = createChatCompressionService({ summaries: async () => 'What was said.' });
  const options = { strategy: 'hybrid', preserveRecentTokens: 1000 } as const;
  const limit = 100;
  const save = () => milliseconds(() => recording.saveSession(id));
  yield { what: 'save a session of 100 messages', limit, ollm: save };
  const load = () => milliseconds(() => recording.getSession(id));
  yield { what: 'load a session of 100 messages', limit, ollm: load };
  const compressed = () => milliseconds(() => compress(conversation, options));
  yield { what: 'compact 100 messages, without the model', limit: 2000, ollm: compressed };
  await recording.close();
}
