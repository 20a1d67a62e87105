// Kiro CLI: JSONL files under ~/.kiro/sessions/cli, appended, one for each session; the database of its first
// engine, and the folders of its third.
import type { Agent, HeadDraft, JsonObject, Source, SourceForm } from '../agent.ts';
import { joinedTexts, nonEmpty, objectIn, objectsIn, textIn } from '../members.ts';
import { newSession, type SessionMemory } from '../session-state.ts';
import { timeOf } from '../times.ts';
import { COLUMNS, head, own, rows } from './conversations.ts';
import { textOf, typeOfPayload } from './messages.ts';
import { discover, places } from './places.ts';
import { promptIn, timeIn, translate } from './read.ts';

const MESSAGE = ['version', 'kind', 'data.message_id', 'data.content'];
const LINES = '.jsonl';
const PAYLOAD = ['id', 'timestamp', 'payload.type', 'payload.content'];
const REQUEST = ['message_id', 'model_id', 'request_start_timestamp_ms', 'stream_end_timestamp_ms'];

export const kiro: Agent<SessionMemory> = {
  name: 'kiro',
  title: 'Kiro CLI',
  version: 1,
  places,
  discover,
  stored,
  initial: newSession,
  translate,
  typeOf,
  said: {
    Prompt: [...MESSAGE, 'data.meta.timestamp'],
    AssistantMessage: MESSAGE,
    ToolResults: MESSAGE,
    'payload.user': [...PAYLOAD, 'payload.source'],
    'payload.assistant': [...PAYLOAD, 'payload.operationType'],
    'payload.tool_call': [...PAYLOAD, 'payload.toolCallId', 'payload.toolName', 'payload.args'],
    'payload.tool_result': [...PAYLOAD, 'payload.toolCallId', 'payload.success'],
    'payload.turn_end': [...PAYLOAD, 'payload.stopReason'],
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
    'only its provider can read it': [
      'payload.assistant payload.operationType[Reasoning]',
      'payload.assistant payload.reasoningSignature',
    ],
    'it is the system prompt': ['payload.session_start'],
    'another record says it': ['payload.turn_start', 'payload.pending_interaction', 'payload.interaction_resolved'],
    'it is a measure of the program, and no count of tokens': ['payload.usage_summary', 'payload.session_metadata'],
    'it is an id of the program': ['payload.* payload.executionId', 'payload.* payload.messageId'],
    'it tells the model its surroundings': ['user user.additional_context', 'user user.env_context'],
    'it is about the request, and the answer is said': ['assistant request_metadata.*'],
  },
  headFromStart,
  headFromEnd,
};

function stored({ path }: Source): SourceForm {
  return path.endsWith(LINES) ? { kind: 'lines' } : { kind: 'rows', columns: COLUMNS, rows, head, own };
}

/** A record of a conversation in the database has the member of its type. */
function typeOf(record: JsonObject): string {
  const kind = textIn(record.kind);
  return (
    typeOfPayload(record) ??
    kind ??
    ['conversation', 'summary', 'user', 'assistant'].find((name) => name in record) ??
    ''
  );
}

function headFromStart(record: JsonObject, head: HeadDraft): boolean {
  const payload = objectIn(record.payload);
  if (payload !== undefined) head.startedAt ??= nonEmpty(record.timestamp);
  if (payload?.type === 'user') head.firstPrompt ??= nonEmpty(textOf(payload.content));
  head.firstPrompt ??= promptIn(objectIn(record.user));
  if (record.kind !== 'Prompt') return head.firstPrompt !== undefined;
  head.startedAt ??= timeOf(timeIn(record));
  const texts = objectsIn(objectIn(record.data)?.content).map(({ kind, data }) =>
    kind === 'text' ? textIn(data) : '',
  );
  head.firstPrompt ??= joinedTexts(texts);
  return head.firstPrompt !== undefined;
}

function headFromEnd(record: JsonObject, head: HeadDraft): boolean {
  head.lastActivity ??=
    timeOf(timeIn(record)) ?? (record.payload === undefined ? undefined : nonEmpty(record.timestamp));
  return head.lastActivity !== undefined;
}
