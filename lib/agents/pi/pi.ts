// pi: JSONL files under ~/.pi/agent/sessions, one for each session.
import type { Agent, HeadDraft, JsonObject } from '../agent.ts';
import { copyMarkIn } from '../copy-mark.ts';
import { joinedTexts, nonEmpty, objectIn, objectsIn, textIn } from '../members.ts';
import { discover, idInPath, places } from './places.ts';
import { translate } from './read.ts';
import { initialState, type PiState } from './state.ts';

const ENVELOPE = ['type', 'id', 'parentId', 'timestamp'];
const MESSAGE = [...ENVELOPE, 'message.role', 'message.content', 'message.timestamp'];

export const pi: Agent<PiState> = {
  name: 'pi',
  title: 'pi',
  version: 5,
  places,
  discover,
  stored: () => ({ kind: 'lines' }),
  initial: initialState,
  translate,
  typeOf,
  said: {
    session: [...ENVELOPE, 'version', 'cwd', 'provider', 'modelId', 'parentSession', 'branchedFrom'],
    model_change: [...ENVELOPE, 'provider', 'modelId'],
    'message/user': MESSAGE,
    'message/assistant': [
      ...MESSAGE,
      'message.provider',
      'message.model',
      'message.stopReason',
      'message.errorMessage',
      'message.usage.input',
      'message.usage.output',
      'message.usage.cacheRead',
      'message.usage.cacheWrite',
      'message.usage.reasoning',
      'message.usage.totalTokens',
      'message.usage.cost.total',
      'message.responseId',
    ],
    'message/toolResult': [
      ...MESSAGE,
      'message.toolCallId',
      'message.toolName',
      'message.isError',
      'message.durationMs',
    ],
    'message/bashExecution': [...MESSAGE, 'message.command', 'message.output'],
    'message/custom': MESSAGE,
    custom_message: [...ENVELOPE, 'content'],
    compaction: [...ENVELOPE, 'summary', 'firstKeptEntryId', 'tokensBefore', 'fromHook'],
    branch_summary: [...ENVELOPE, 'summary', 'fromId'],
    session_info: [...ENVELOPE, 'name'],
  },
  leftOut: {
    'it is a setting, and nothing that was said': [
      'thinking_level_change',
      'label',
      'custom',
      'session thinkingLevel',
      'message/custom message.customType',
    ],
    'the sum of it is said': ['message/assistant message.usage.cost'],
    'the output of the command is said': ['message/bashExecution message.exitCode'],
    'it is the system prompt': ['message/system'],
    'it is how the answer was asked for': ['message/assistant message.api', 'message/assistant message.thinkingLevel'],
    'it says how fast an answer came': ['message/assistant message.durationMs'],
    'it is a second form of the reason why the answer ended': ['message/assistant message.rawStopReason'],
    'the program keeps it for its screen, next to the result that the model got': [
      'message/toolResult message.details',
    ],
    'it is about how a compaction was made, and its summary is said': ['compaction details'],
  },
  headFromStart,
  headFromEnd,
};

function typeOf({ type, message }: JsonObject): string {
  const name = textIn(type) ?? '';
  return name === 'message' ? `message/${textIn(objectIn(message)?.role) ?? ''}` : name;
}

function headFromStart(record: JsonObject, head: HeadDraft): boolean {
  if (record.type === 'session') {
    head.startedAt ??= nonEmpty(record.timestamp);
    head.cwd ??= nonEmpty(record.cwd);
    head.forkedFrom ??= idInPath(record.parentSession) ?? idInPath(record.branchedFrom);
  }
  if (record.customType === 'ollm-handover') head.copyMark ??= copyMarkIn(record.data);
  const message = objectIn(record.message);
  if (record.type === 'message' && message?.role === 'user') {
    const { content } = message;
    const texts = typeof content === 'string' ? [content] : objectsIn(content).map(({ text }) => textIn(text));
    head.firstPrompt ??= joinedTexts(texts);
  }
  return head.firstPrompt !== undefined;
}

function headFromEnd(record: JsonObject, head: HeadDraft): boolean {
  head.lastActivity ??= nonEmpty(record.timestamp);
  if (record.type === 'session_info') head.title ??= nonEmpty(record.name);
  if (record.type === 'model_change') head.model ??= nonEmpty(record.modelId);
  if (record.type === 'message') head.model ??= nonEmpty(objectIn(record.message)?.model);
  // A title may be anywhere.
  return head.title !== undefined && head.model !== undefined;
}
