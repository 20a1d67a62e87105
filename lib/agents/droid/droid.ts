// Factory Droid: JSONL files under ~/.factory/sessions, appended, one for each session, in a folder for each project.
import type { Agent, HeadDraft, JsonObject } from '../agent.ts';
import { nonEmpty, objectIn, textIn } from '../members.ts';
import { newSession, type SessionMemory } from '../session-state.ts';
import { discover, places } from './places.ts';
import { promptIn, translate } from './read.ts';

export const droid: Agent<SessionMemory> = {
  name: 'droid',
  title: 'Factory Droid',
  version: 1,
  places,
  discover,
  stored: () => ({ kind: 'lines' }),
  initial: newSession,
  translate,
  typeOf: ({ type }) => textIn(type) ?? '',
  said: {
    session_start: ['type', 'id', 'title', 'sessionTitle', 'owner', 'version', 'cwd', 'hostId'],
    message: ['type', 'id', 'parentId', 'timestamp', 'message.role', 'message.content'],
  },
  leftOut: {},
  headFromStart,
  headFromEnd,
};

function headFromStart(record: JsonObject, head: HeadDraft): boolean {
  if (record.type === 'session_start') {
    head.cwd = nonEmpty(record.cwd);
    head.title = titleIn(record);
    head.version = nonEmpty(record.version);
    return false;
  }
  if (record.type !== 'message') return false;
  head.startedAt ??= textIn(record.timestamp);
  const { role, content } = objectIn(record.message) ?? {};
  if (role === 'user') head.firstPrompt ??= promptIn(content) || undefined;
  return head.firstPrompt !== undefined;
}

function headFromEnd(record: JsonObject, head: HeadDraft): boolean {
  head.lastActivity ??= nonEmpty(record.timestamp);
  return head.lastActivity !== undefined;
}

/** The title that the user gave, else the one that the program made of the first prompt. */
function titleIn({ sessionTitle, title }: JsonObject): string | undefined {
  return nonEmpty(sessionTitle) ?? nonEmpty(title);
}
