// Gemini CLI: one JSON document for each session until early 2026, JSONL since then, under ~/.gemini/tmp.
import type { Agent, HeadDraft, JsonObject } from '../agent.ts';
import { copyMarkIn } from '../copy-mark.ts';
import { absolutePathIn, nonEmpty, objectIn, objectsIn, textIn } from '../members.ts';
import { directoryIn, isCancellation, textsOf } from './injected.ts';
import { discover, places, startOfId } from './places.ts';
import { isMessage, promptOf, translate } from './read.ts';
import { type GeminiState, initialState } from './state.ts';

const HEADER = ['sessionId', 'projectHash', 'startTime', 'kind', 'directories', 'summary'];
const MESSAGE = ['id', 'timestamp', 'type', 'content'];

export const gemini: Agent<GeminiState> = {
  name: 'gemini',
  title: 'Gemini CLI',
  version: 3,
  places,
  discover,
  startOfId,
  stored: ({ path }) =>
    path.endsWith('.json') ? { kind: 'document', header: HEADER, list: 'messages' } : { kind: 'lines' },
  initial: initialState,
  translate,
  typeOf,
  said: {
    header: [...HEADER, 'lastUpdated'],
    user: [...MESSAGE, 'displayContent'],
    gemini: [...MESSAGE, 'thoughts', 'tokens', 'model', 'toolCalls'],
    error: MESSAGE,
    'info/cancelled': MESSAGE,
    $set: ['$set.lastUpdated', '$set.messages', '$set.summary', '$set.sessionId'],
    $rewindTo: ['$rewindTo'],
  },
  leftOut: {
    'it names the source of a session that was handed over': ['header handover'],
    'it was shown to the user, and not sent to the model': ['info', 'warning'],
    'the program keeps it for its screen, next to the result that the model got': ['gemini toolCalls.resultDisplay'],
    'it is a note of the program to itself': ['$set $set.memoryScratchpad'],
  },
  headFromStart,
  headFromEnd,
};

function typeOf(record: JsonObject): string {
  if (record.$set !== undefined) return '$set';
  if (record.$rewindTo !== undefined) return '$rewindTo';
  if (isCancellation(record)) return 'info/cancelled';
  return textIn(record.type) ?? 'header';
}

function headFromStart(record: JsonObject, head: HeadDraft): boolean {
  const messages = isMessage(record) ? [record] : objectsIn(objectIn(record.$set)?.messages);
  if (!isMessage(record)) {
    head.startedAt ??= nonEmpty(record.startTime);
    head.printedId ??= nonEmpty(record.sessionId);
    head.title ??= nonEmpty(record.summary);
    head.copyMark ??= copyMarkIn(record.handover);
    const [first] = Array.isArray(record.directories) ? record.directories : [];
    head.cwd ??= absolutePathIn(first);
  }
  for (const message of messages) {
    for (const text of textsOf(message.content)) head.cwd ??= absolutePathIn(directoryIn(text));
    const prompt = promptOf(message);
    if (prompt !== undefined) head.firstPrompt ??= prompt;
  }
  return head.firstPrompt !== undefined;
}

function headFromEnd(record: JsonObject, head: HeadDraft): boolean {
  const changes = objectIn(record.$set);
  head.lastActivity ??= nonEmpty(record.timestamp) ?? nonEmpty(changes?.lastUpdated);
  head.title ??= nonEmpty(changes?.summary);
  if (record.type === 'gemini') head.model ??= nonEmpty(record.model);
  return head.title !== undefined && head.model !== undefined;
}
