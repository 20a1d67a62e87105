// The cost of a turn, and its parts: a turn in a long session compared with one in a short session, the first token on
// the screen, loop detection, compaction, redaction, and the services with a requirement.
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRedactor } from '../../lib/environment/redact.ts';
import type { OllmEventOf } from '../../lib/events/index.ts';
import { createChatCompressionService } from '../../lib/library/chat-compression-service.ts';
import { createChatRecordingService } from '../../lib/library/chat-recording-service.ts';
import { type LoopState, loopFold } from '../../lib/projections/loop.ts';
import { lastLiveTurn } from '../../lib/session/last-turn.ts';
import type { Session } from '../../lib/session/session.ts';
import type { Bench, Case } from '../case.ts';
import { distinctWords, generatedEvents, generatedTurns } from '../generated-session.ts';
import { type Contest, milliseconds, processorMilliseconds, quantile, type Skipped } from '../measure.ts';
import { PROMPT, programIn } from '../program.ts';
import { compaction, playTurn } from '../scripted-turns.ts';
import { newSession, openStore, sessionOf } from '../sessions.ts';

export const run: Case = async function* (bench) {
  yield* wholeTurns(bench);
  yield* firstToken(bench);
  yield* loops(bench);
  yield redaction(bench);
  yield* compactions(bench);
  yield* goingBack(bench);
  yield* firstTurn(bench);
  yield* services(bench);
};

/** Equal turns after 1,000 and 1,000,000 events. */
async function* wholeTurns({ size, directory, progress }: Bench): AsyncGenerator<Contest> {
  const sessions: Session[] = [];
  const lengths = [1_000, size(1_000_000, 2_000)];
  for (const [index, length] of lengths.entries()) {
    progress(`writing ${length.toLocaleString('en')} events`);
    const session = await sessionOf(directory, `turns-${index}`, length);
    await session.save({ snapshot: 'now' });
    sessions.push(session);
  }
  const turns = generatedTurns({ seed: 2 });
  const sample = Array.from({ length: 25 }, () => turns.next().value!);
  const turnsIn = (session: Session) => async () => {
    const ms = await processorMilliseconds(async () => {
      for (const turn of sample) {
        await playTurn(session, directory, turn);
        await session.save();
      }
    });
    return ms / sample.length;
  };
  yield {
    what: `a turn at ${lengths[1]!.toLocaleString('en')} events, processor time`,
    subject: turnsIn(sessions[1]!),
    against: [{ name: 'the same at 1,000', atMost: 1.2, run: turnsIn(sessions[0]!) }],
  };
  for (const session of sessions) await session.close('exit');
}

/** The answer of a model's server to each question about it. */
const FACTS = {
  models: [{ name: 'bench:latest', size: 1 }],
  model_info: { 'x.context_length': 32_768 },
  capabilities: ['completion'],
};

/** The bytes that the REPL writes before each input. */
const READY = '\x1b[32m> ';

/** From the moment when a server sends it until it is written to the terminal, by the clock. */
async function* firstToken({ directory }: Bench): AsyncGenerator<Contest> {
  const program = programIn(directory);
  const home = join(directory, 'home');
  mkdirSync(home);
  let sent = 0;
  let answers = 0;
  const server = createServer((request, response) => {
    const send = (part: object) => response.write(`${JSON.stringify(part)}\n`);
    request.resume();
    response.setHeader('content-type', 'application/x-ndjson').flushHeaders();
    if (request.url !== '/api/chat') return void response.end(JSON.stringify(FACTS));
    answers += 1;
    const message = { role: 'assistant', content: `token${answers}x ` };
    setTimeout(() => {
      sent = performance.now();
      send({ message, done: false });
    }, 200);
    setTimeout(() => {
      send({ message: { content: '' }, done: true, done_reason: 'stop' });
      response.end();
    }, 400);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const terminal = program.open(home, { OLLAMA_HOST: url }, 'repl', '--new', '--provider', 'ollama');
  await terminal.shows(READY);
  const answer = async () => {
    terminal.type('go\r');
    const shown = await terminal.shows(`token${answers + 1}x`);
    const ms = shown - sent;
    await terminal.shows(READY);
    return ms;
  };
  const subject = async () => quantile([await answer(), await answer(), await answer()]);
  yield { what: 'first token on the screen', subject, limit: 5 };
  terminal.type('\x04');
  await terminal.ended;
  server.closeAllConnections();
  server.close();
}

function* loops({ size }: Bench): Generator<Contest> {
  type LoopEvent = OllmEventOf<(typeof loopFold.reads)[number]>;
  const loopEvents = (count: number, seed: number) =>
    [...generatedEvents(count, { seed })]
      .filter(({ type }) => (loopFold.reads as readonly string[]).includes(type))
      .map((event, seq) => ({ ...event, seq, ts: '2026-01-01T00:00:00.000Z' }) as LoopEvent);
  const step = (state: LoopState, event: LoopEvent) => loopFold.apply(state, event) as LoopState;
  const before = loopEvents(size(100_000, 1_000), 1).reduce(step, loopFold.initial());
  const sample = loopEvents(6_000, 2);
  const each = (work: readonly LoopEvent[], count: number) => async () => {
    let state = structuredClone(before);
    const ms = await processorMilliseconds(() => {
      for (const event of work) state = step(state, event);
    });
    return (1000 * ms) / count;
  };
  const calls = sample.filter(({ type }) => type.startsWith('tool.')).slice(0, 1000);
  const outputs = sample.filter((event) => event.type === 'message.added' && event.data.role === 'assistant');
  const limits = { unit: 'µs', limit: 100 };
  yield { what: 'loop detection, a call and its result', subject: each(calls, calls.length / 2), ...limits };
  yield { what: 'loop detection, an answer', subject: each(outputs, outputs.length), ...limits };
}

function redaction({ size }: Bench): Contest {
  const redactor = createRedactor({ secretValues: ['correct-horse-battery', 'staple-0123456789'] });
  const parts: string[] = [];
  let bytes = 0;
  for (const event of generatedEvents(Number.POSITIVE_INFINITY)) {
    if (event.type !== 'tool.finished') continue;
    parts.push(event.data.result.llmContent, ` ghp_${'0123456789abcdef'.repeat(3).slice(0, 36)} `);
    bytes += Buffer.byteLength(parts.at(-2)!);
    if (bytes >= size(10e6, 1e5)) break;
  }
  const text = parts.join('');
  return {
    what: `redaction of ${(bytes / 1e6).toFixed(1)} MB`,
    subject: () => milliseconds(() => redactor.redact(text)),
    limit: 1000,
  };
}

async function* compactions({ size, directory, progress }: Bench): AsyncGenerator<Contest> {
  const count = size(10_000, 100);
  progress(`compacting ${count} messages`);
  const session = await newSession(directory, 'compacted');
  await session.reach(1e9);
  let messages = 0;
  for (const turn of generatedTurns()) {
    await session.append(turn);
    messages += turn.filter(({ type }) => type === 'message.added').length;
    if (messages >= count) break;
  }
  const what = `compaction of ${count.toLocaleString('en')} messages by truncation`;
  yield { what, subject: () => compaction(session, directory), limit: 150 };
  await session.close('exit');
}

/** What needs more of a session than memory holds. */
async function* goingBack({ size, directory, progress }: Bench): AsyncGenerator<Contest> {
  const count = size(100_000, 2_000);
  const events = `${count.toLocaleString('en')} events`;
  progress(`writing ${events}`);
  const session = await sessionOf(directory, 'back', count);
  await session.save({ snapshot: 'now' });
  const undo = () =>
    processorMilliseconds(async () => {
      const reader = openStore(directory).openReader('back');
      const last = await lastLiveTurn(reader);
      reader.close();
      await session.append({ type: 'branch.moved', data: { head: last!.before, reason: 'undo' } });
    });
  yield { what: `/undo at ${events}, processor time`, subject: undo, limit: 200, rounds: 9 };
  const summary = () => compaction(session, directory, 'hybrid');
  yield { what: `a first /compact at ${events}, extracted`, subject: summary, limit: 2000, rounds: 3 };
  await session.close('exit');
}

/** A new process, from Enter to the request on the wire: its processor time, in steps of ten milliseconds. */
async function* firstTurn({ directory }: Bench): AsyncGenerator<Contest | Skipped> {
  const what = 'first turn of a process, Enter to the request, processor time';
  if (process.platform !== 'linux')
    return yield { what, skipped: 'only Linux tells the processor time of another process' };
  const program = programIn(directory);
  let arrived = () => {};
  const server = createServer((request, response) => {
    request.resume();
    if (request.url?.endsWith('/chat/completions')) arrived();
    response.writeHead(400).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const home = join(directory, 'first-home');
  mkdirSync(home);
  const variables = { OLLM_PROVIDERS__OPENAI__BASE_URL: url, OPENAI_API_KEY: 'k' };
  const subject = async () => {
    const terminal = program.open(home, variables, 'repl', '--new', '--provider', 'openai', '--model', 'gpt-4o');
    await terminal.shows(PROMPT);
    await sleep(IDLE_MS);
    const before = terminal.processorMs();
    const sent = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    terminal.type('go\r');
    await sent;
    const ms = terminal.processorMs() - before;
    await terminal.shows(READY);
    terminal.type('\x04');
    await terminal.ended;
    return ms;
  };
  yield { what, subject, limit: 150 };
  server.closeAllConnections();
  server.close();
}
/** A person reads the prompt, and types. */
const IDLE_MS = 2_000;

/** The targets of the requirements. */
async function* services({ directory }: Bench): AsyncGenerator<Contest> {
  const sessions = join(directory, 'services');
  mkdirSync(sessions);
  const recording = createChatRecordingService({ store: openStore(sessions) });
  const id = await recording.createSession('m', 'bench');
  const conversation = distinctWords(100, 3).map((word, index) => ({
    role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
    parts: [{ type: 'text' as const, text: word.repeat(100) }],
    timestamp: '2026-01-01T00:00:00.000Z',
  }));
  for (const message of conversation) await recording.recordMessage(id, message);
  const compression = createChatCompressionService({ summaries: async () => 'What was said.' });
  const options = { strategy: 'hybrid', preserveRecentTokens: 1000 } as const;
  const timed = (work: () => unknown) => () => milliseconds(work);
  const many = 'a session of 100 messages';
  yield { what: `save ${many}`, subject: timed(() => recording.saveSession(id)), limit: 100 };
  yield { what: `load ${many}`, subject: timed(() => recording.getSession(id)), limit: 100 };
  const compress = timed(() => compression.compress(conversation, options));
  yield { what: 'compact 100 messages, without the model', subject: compress, limit: 2000 };
  await recording.close();
}
