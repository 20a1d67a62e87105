// Kiro CLI: JSONL files under ~/.kiro/sessions/cli, appended, one for each session; and the database of its first
// engine.
import type { Agent, HeadDraft, JsonObject, Source, SourceForm } from '../agent.ts';
import { joinedTexts, objectIn, objectsIn, textIn } from '../members.ts';
import { COLUMNS, head, rows } from './conversations.ts';
import { discover, places } from './places.ts';
import { promptIn, timeOf, translate } from './read.ts';
import { initialState, type KiroState } from './state.ts';

const MESSAGE = ['version', 'kind', 'data.message_id', 'data.content'];
const LINES = '.jsonl';
const REQUEST = ['message_id', 'model_id', 'request_start_timestamp_ms', 'stream_end_timestamp_ms'];

export const kiro: Agent<KiroState> = {
  name: 'kiro',
  title: 'Kiro CLI',
  version: 1,
  places,
  discover,
  stored,
  initial: initialState,
  translate,
  typeOf,
  said: {
    Prompt: [...MESSAGE, 'data.meta.timestamp'],
    AssistantMessage: MESSAGE,
    ToolResults: MESSAGE,
    conversation: ['conversation.conversation_id', 'conversation.model'],
    summary: ['summary'],
    user: ['user.content', 'user.timestamp'],
    assistant: [
      ...['Response.message_id', 'Response.content'].map((name) => `assistant.${name}`),
      ...['ToolUse.message_id', 'ToolUse.content', 'ToolUse.tool_uses'].map((name) => `assistant.${name}`),
      ...REQUEST.map((name) => `request_metadata.${name}`),
    ],
  },
  leftOut: {
    'the program keeps it for its screen, and the result that the model got is said': ['ToolResults data.results'],
    'it tells the model its surroundings': ['user user.additional_context', 'user user.env_context'],
    'it is about the request, and the answer is said': ['assistant request_metadata.*'],
  },
  headFromStart,
  headFromEnd,
};

function stored({ path }: Source): SourceForm {
  return path.endsWith(LINES) ? { kind: 'lines' } : { kind: 'rows', columns: COLUMNS, rows, head };
}

/** A record of a conversation in the database has the member of its type. */
function typeOf(record: JsonObject): string {
  const kind = textIn(record.kind);
  return kind ?? ['conversation', 'summary', 'user', 'assistant'].find((name) => name in record) ?? '';
}

function headFromStart(record: JsonObject, head: HeadDraft): boolean {
  head.firstPrompt ??= promptIn(objectIn(record.user));
  if (record.kind !== 'Prompt') return head.firstPrompt !== undefined;
  head.startedAt ??= timeOf(record);
  const texts = objectsIn(objectIn(record.data)?.content).map(({ kind, data }) =>
    kind === 'text' ? textIn(data) : '',
  );
  head.firstPrompt ??= joinedTexts(texts);
  return head.firstPrompt !== undefined;
}

function headFromEnd(record: JsonObject, head: HeadDraft): boolean {
  head.lastActivity ??= timeOf(record);
  return head.lastActivity !== undefined;
}
