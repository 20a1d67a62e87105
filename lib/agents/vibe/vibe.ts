// Mistral Vibe: a folder for each session under ~/.vibe/logs/session, with its messages as lines, appended.
import type { Agent, HeadDraft, JsonObject } from '../agent.ts';
import { saysSomething, textIn } from '../members.ts';
import { newSession, type SessionMemory } from '../session-state.ts';
import { discover, places } from './places.ts';
import { translate } from './read.ts';

const MESSAGE = ['role', 'content', 'injected', 'message_id'];

export const vibe: Agent<SessionMemory> = {
  name: 'vibe',
  title: 'Mistral Vibe',
  version: 1,
  places,
  discover,
  stored: () => ({ kind: 'lines' }),
  initial: (source) => newSession(source, 'mistral'),
  translate,
  typeOf: ({ role }) => textIn(role) ?? '',
  said: {
    user: MESSAGE,
    assistant: [...MESSAGE, 'reasoning_content', 'reasoning_message_id', 'tool_calls'],
    tool: [...MESSAGE, 'name', 'tool_call_id'],
  },
  leftOut: {},
  headFromStart,
  headFromEnd: () => true,
};

function headFromStart({ role, injected, content }: JsonObject, head: HeadDraft): boolean {
  const prompt = role === 'user' && injected !== true ? textIn(content) : undefined;
  if (saysSomething(prompt)) head.firstPrompt ??= prompt;
  return head.firstPrompt !== undefined;
}
