// Amp: a JSON document for each thread under ~/.local/share/amp/threads, rewritten whole. Versions since early 2026
// keep threads on the server of their maker; `amp threads export` prints the same document.
import type { Agent, HeadDraft, JsonObject } from '../agent.ts';
import { countIn, nonEmpty, objectIn, saysSomething } from '../members.ts';
import { newSession, type SessionMemory } from '../session-state.ts';
import { timeOf } from '../times.ts';
import { discover, places } from './places.ts';
import { isThread, promptIn, timeIn, translate, treeIn } from './read.ts';

const THREAD = ['id', 'created', 'title', 'env'];
const MESSAGE = ['role', 'messageId', 'content'];

export const amp: Agent<SessionMemory> = {
  name: 'amp',
  title: 'Amp',
  version: 1,
  places,
  discover,
  stored: () => ({ kind: 'document', header: THREAD, list: 'messages' }),
  resume: (id) => ['amp', 'threads', 'continue', id],
  initial: newSession,
  translate,
  typeOf: (record) => (isThread(record) ? 'thread' : (nonEmpty(record.role) ?? '')),
  said: {
    thread: ['id', 'created', 'title', 'env.initial.trees', 'env.initial.platform.clientVersion'],
    user: [...MESSAGE, 'meta.sentAt', 'interrupted'],
    assistant: [
      ...[...MESSAGE, 'state.type', 'state.stopReason', 'turnElapsedMs', 'usage.model', 'usage.timestamp'],
      ...['usage.inputTokens', 'usage.outputTokens', 'usage.cacheCreationInputTokens', 'usage.cacheReadInputTokens'],
      'usage.totalInputTokens',
    ],
  },
  leftOut: {
    'it is about the machine and the program': ['thread env.*'],
    'it is the state of the editor at the prompt': ['user userState', 'user fileMentions'],
    'it is a mode of the program': ['user agentMode'],
    'it is the size of the window': ['assistant usage.maxInputTokens'],
    'it is a price in units of the program': ['assistant usage.credits'],
  },
  headFromStart,
  headFromEnd,
};

function headFromStart(record: JsonObject, head: HeadDraft): boolean {
  if (isThread(record)) {
    const { cwd, branch, remote } = treeIn(record);
    head.title ??= nonEmpty(record.title);
    head.startedAt ??= timeOf(countIn(record.created));
    head.version ??= nonEmpty(objectIn(objectIn(objectIn(record.env)?.initial)?.platform)?.clientVersion);
    head.cwd ??= cwd;
    head.branch ??= branch;
    head.remote ??= remote;
    return false;
  }
  const prompt = record.role === 'user' ? promptIn(record) : undefined;
  if (saysSomething(prompt)) head.firstPrompt ??= prompt;
  return head.firstPrompt !== undefined;
}

function headFromEnd(record: JsonObject, head: HeadDraft): boolean {
  head.lastActivity ??= timeOf(timeIn(record));
  head.model ??= nonEmpty(objectIn(record.usage)?.model);
  return head.lastActivity !== undefined && head.model !== undefined;
}
