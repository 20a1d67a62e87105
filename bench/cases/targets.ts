// What the requirements themselves ask of the services, by the clock: a session saved and loaded, 100 messages compacted by a
// model that takes no time, 10,000 files found, the loop guard beside a turn. A limit that is a tenth used up says that it is
// none for this program; the figures that say more stand in the other cases.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { NewOllmEvent } from '../../lib/events/index.ts';
import { createChatCompressionService } from '../../lib/library/chat-compression-service.ts';
import { createChatRecordingService, type SessionMessage } from '../../lib/library/chat-recording-service.ts';
import { createFileDiscoveryService } from '../../lib/library/file-discovery-service.ts';
import { createLoopDetectionService } from '../../lib/library/loop-detection-service.ts';
import type { Case } from '../bench.ts';
import { makeTree } from '../file-tree.ts';
import { generatedTurns } from '../generated-session.ts';
import { noDisk } from '../machine.ts';
import { type Contest, limitOf, measure, seconds, type Timed } from '../measure.ts';
import { openStore } from '../sessions.ts';

const MESSAGES = 100;
const FILES = 10_000;
/** How many times as often as others saving is measured: it waits for the disk. */
const MORE_PAIRS = 3;
/** What a service is asked for often enough takes less than a clock can tell. */
const TURNS = 20;

export const run: Case = async function* ({ seed, pairs, directory, progress }) {
  progress(`recording a session of ${MESSAGES} messages`);
  const sessions = join(directory, 'sessions');
  mkdirSync(sessions);
  const recording = createChatRecordingService({ store: openStore(sessions) });
  const id = await recording.createSession('m', 'bench');
  const turns = turnsOf(MESSAGES, seed);
  const conversation = turns.flatMap((turn) => turn.messages);
  for (const { messages, calls } of turns) {
    for (const message of messages) await recording.recordMessage(id, message);
    for (const call of calls) await recording.recordToolCall(id, { ...call, timestamp: NOW });
  }
  const session = `a session of ${conversation.length} messages and ${turns.flatMap(({ calls }) => calls).length} calls`;

  progress(`saving ${session}`);
  const saving = limited(`save ${session}`, 100, () => recording.saveSession(id));
  const reason = noDisk(sessions);
  if (reason) yield { kind: 'skipped', what: saving.what, reason };
  else yield* await measure(saving, pairs * MORE_PAIRS);
  const contests: readonly Contest[] = [
    limited(`load ${session}`, 100, async () => {
      if ((await recording.getSession(id))?.messages.length !== conversation.length)
        throw new Error('not all is there');
    }),
    ...(['truncate', 'summarize', 'hybrid'] as const).map((strategy) => {
      const service = createChatCompressionService({ summaries: async () => 'What was said.' });
      const options = { strategy, preserveRecentTokens: 1000 };
      return limited(`compact ${MESSAGES} messages, ${strategy}, the model's time left out`, 2000, async () => {
        const { compressedTokenCount, originalTokenCount } = await service.compress(conversation, options);
        if (compressedTokenCount >= originalTokenCount) throw new Error('nothing became shorter');
      });
    }),
    limited('loop detection beside a turn', 1, () => guardedTurns(turns), TURNS),
  ];
  for (const contest of contests) {
    progress(contest.what);
    yield* await measure(contest, pairs);
  }
  await recording.close();

  const files = `${FILES.toLocaleString('en')} files`;
  progress(`making ${files}`);
  const root = join(directory, 'tree');
  const listed = makeTree(root, FILES);
  progress(`finding ${files}`);
  const discovery = limited(`find ${files}`, 1000, async () => {
    const service = createFileDiscoveryService();
    const found = await service.discoverAll({ root });
    service.dispose();
    const count = found.filter(({ type }) => type === 'file').length;
    if (count !== listed) throw new Error(`${count} files found of ${listed}`);
  });
  yield* await measure(discovery, pairs);
};

/** Against a limit in milliseconds, for each of `times`. */
function limited(what: string, limitMs: number, work: () => unknown, times = 1): Contest {
  const subject: Timed = async () => (1000 * (await seconds(work))) / times;
  return { what, unit: 'ms', subject, against: [limitOf(limitMs, 'the requirement')] };
}

/** Calls, their results and the answer of each turn, as they come. */
function guardedTurns(turns: readonly Turn[]): void {
  const guard = createLoopDetectionService();
  for (const { messages, calls } of turns.slice(0, TURNS)) {
    guard.reset();
    for (const { name, args, result } of calls) {
      guard.recordTurn();
      guard.recordToolCall(name, args, result.llmContent);
      if (guard.checkForLoop()) throw new Error('There is no loop in it.');
    }
    for (const { role, parts } of messages) {
      for (const part of parts) if (role === 'assistant' && part.type === 'text') guard.recordOutput(part.text);
    }
    if (guard.checkForLoop()) throw new Error('There is no loop in it.');
  }
}

const NOW = '2026-01-01T00:00:00.000Z';

interface Turn {
  readonly messages: readonly SessionMessage[];
  readonly calls: readonly {
    readonly id: string;
    readonly name: string;
    readonly args: Readonly<Record<string, unknown>>;
    readonly result: { readonly llmContent: string };
  }[];
}

/** Generated turns with that many messages together. */
function turnsOf(messages: number, seed: number): Turn[] {
  const turns: Turn[] = [];
  let count = 0;
  for (const events of generatedTurns({ seed })) {
    if (count >= messages) break;
    const turn = turnOf(events);
    count += turn.messages.length;
    turns.push(turn);
  }
  return turns;
}

function turnOf(events: readonly NewOllmEvent[]): Turn {
  const results = new Map(
    events.flatMap((event) => (event.type === 'tool.finished' ? [[event.data.callId, event.data.result]] : [])),
  );
  return {
    messages: events.flatMap((event) =>
      event.type === 'message.added' ? [{ role: event.data.role, parts: event.data.parts, timestamp: NOW }] : [],
    ),
    calls: events.flatMap((event) => {
      if (event.type !== 'tool.requested') return [];
      const { callId, name, args } = event.data;
      const result = results.get(callId) ?? { llmContent: '' };
      return [{ id: callId, name, args: args as Record<string, unknown>, result }];
    }),
  };
}
