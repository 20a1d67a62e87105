// Qwen Code: JSONL files under ~/.qwen/projects, appended, one for each session.
import type { Agent, HeadDraft, JsonObject, SessionBeginning } from '../agent.ts';
import { copyMarkIn } from '../copy-mark.ts';
import { joinedTexts, nonEmpty, objectIn, objectsIn, textIn } from '../members.ts';
import { discover, places } from './places.ts';
import { isInjected, translate } from './read.ts';
import { initialState, type QwenState } from './state.ts';

/** What each record has, and says nothing of the conversation. */
const ENVELOPE = [
  'uuid',
  'parentUuid',
  'sessionId',
  'timestamp',
  'type',
  'provenance',
  'cwd',
  'version',
  'gitBranch',
  'subtype',
];
const MESSAGE = [...ENVELOPE, 'message.role', 'message.parts'];
const TELEMETRY = [...ENVELOPE, 'systemPayload.uiEvent'];

export const qwen: Agent<QwenState> = {
  name: 'qwen',
  title: 'Qwen Code',
  version: 3,
  places,
  discover,
  stored: () => ({ kind: 'lines' }),
  initial: initialState,
  translate,
  begin,
  typeOf,
  said: {
    user: MESSAGE,
    assistant: [
      ...MESSAGE,
      'model',
      'usageMetadata.promptTokenCount',
      'usageMetadata.candidatesTokenCount',
      'usageMetadata.thoughtsTokenCount',
      'usageMetadata.totalTokenCount',
      'usageMetadata.cachedContentTokenCount',
    ],
    tool_result: [
      ...MESSAGE,
      'toolCallResult.callId',
      'toolCallResult.status',
      'toolCallResult.executionStatus',
      'toolCallResult.resultDisplay',
    ],
    'system/ui_telemetry/tool_call': TELEMETRY,
    'system/ui_telemetry/api_response': TELEMETRY,
    'system/chat_compression': [...ENVELOPE, 'systemPayload.compressedHistory'],
    'system/custom_title': [...ENVELOPE, 'systemPayload.customTitle'],
  },
  leftOut: {
    'it names the source of a session that was handed over': ['user handover'],
    'it is about files before they were changed': ['system/file_history_snapshot', 'system/attribution_snapshot'],
    'it is a place that the user can go back to': ['system/branch_checkpoint'],
    'other records say it': ['system/ui_telemetry/*', 'system/slash_command', 'tool_result toolCallResult.errorType'],
    'the program keeps it for its screen, next to the result that the model got': [
      'tool_result toolCallResult.resultDisplay',
    ],
    'it is about how a compaction was made, and what that kept is said': ['system/chat_compression systemPayload.info'],
    'it is a property of the model': ['assistant contextWindowSize'],
  },
  headFromStart,
  headFromEnd,
};

function begin(record: JsonObject): SessionBeginning {
  return { cwd: nonEmpty(record.cwd), branch: nonEmpty(record.gitBranch) };
}

function typeOf({ type, subtype, systemPayload }: JsonObject): string {
  const name = textIn(type) ?? '';
  if (name !== 'system') return name;
  const kind = `${name}/${textIn(subtype) ?? ''}`;
  if (subtype !== 'ui_telemetry') return kind;
  return `${kind}/${textIn(objectIn(objectIn(systemPayload)?.uiEvent)?.['event.name'])?.replace('qwen-code.', '') ?? ''}`;
}

function headFromStart(record: JsonObject, head: HeadDraft): boolean {
  head.startedAt ??= nonEmpty(record.timestamp);
  head.cwd ??= nonEmpty(record.cwd);
  head.branch ??= nonEmpty(record.gitBranch);
  head.copyMark ??= copyMarkIn(record.handover);
  if (record.type === 'user' && !isInjected(record)) {
    const texts = objectsIn(objectIn(record.message)?.parts).map(({ text }) => textIn(text));
    head.firstPrompt ??= joinedTexts(texts);
  }
  return head.firstPrompt !== undefined && head.cwd !== undefined;
}

function headFromEnd(record: JsonObject, head: HeadDraft): boolean {
  head.lastActivity ??= nonEmpty(record.timestamp);
  head.version ??= nonEmpty(record.version);
  if (record.type === 'assistant') head.model ??= nonEmpty(record.model);
  if (record.subtype === 'custom_title') head.title ??= nonEmpty(objectIn(record.systemPayload)?.customTitle);
  return head.title !== undefined && head.model !== undefined;
}
