// What a record of Claude Code is counted as in the fidelity report, and which of its members events say.
import type { JsonObject } from '../agent.ts';
import { objectIn, textIn } from '../members.ts';
import { isFiller, isMadeByProgram } from './made-by-program.ts';

/** What each record of the conversation has, and says nothing of it. */
const ENVELOPE = [
  'type',
  'uuid',
  'parentUuid',
  'logicalParentUuid',
  'isSidechain',
  'userType',
  'entrypoint',
  'cwd',
  'sessionId',
  'version',
  'gitBranch',
  'timestamp',
  'slug',
  'agentId',
  'promptId',
];
const ATTACHMENT = [...ENVELOPE, 'attachment', 'rendered', 'renderedRole', 'renderedBesideToolResult'];
const TITLE = ['type', 'sessionId', 'customTitle', 'aiTitle', 'uuid', 'timestamp'];
const ASSISTANT = [
  ...ENVELOPE,
  'requestId',
  'requestRef',
  'requestedModel',
  'requestSessionId',
  'apiBlockIndex',
  'isAbortedMidStream',
  'madeBy',
  'message.id',
  'message.type',
  'message.role',
  'message.model',
  'message.content',
  'message.stop_reason',
  'message.stop_sequence',
  'message.usage',
];
const USER = [
  ...ENVELOPE,
  'message.role',
  'message.content',
  'isMeta',
  'isCompactSummary',
  'isVisibleInTranscriptOnly',
  'turnCompanion',
  'origin.kind',
  'promptSource',
  'turnOrigin',
  'turnPosition',
  'sourceToolAssistantUUID',
  'sourceToolUseID',
  'permissionDecision.decision',
  'permissionDecision.source',
  'permissionDecision.reasonType',
  'toolDenialKind',
  'toolUseResult.agentId',
  'toolUseResult.totalDurationMs',
  'toolUseResult.durationMs',
];

export const said: Readonly<Record<string, readonly string[]>> = {
  user: USER,
  assistant: ASSISTANT,
  'assistant/error': [...ASSISTANT, 'isApiErrorMessage', 'apiErrorStatus', 'apiErrorType', 'error'],
  'system/compact_boundary': [
    ...ENVELOPE,
    'subtype',
    'content',
    'level',
    'isMeta',
    'compactMetadata.trigger',
    'compactMetadata.preTokens',
    'compactMetadata.postTokens',
    'compactMetadata.preservedSegment.headUuid',
  ],
  'system/turn_duration': [...ENVELOPE, 'subtype', 'isMeta', 'durationMs', 'messageCount'],
  'attachment/queued_command': ATTACHMENT,
  'attachment/file': ATTACHMENT,
  'attachment/nested_memory': ATTACHMENT,
  'attachment/edited_text_file': ATTACHMENT,
  'attachment/hook_additional_context': ATTACHMENT,
  'custom-title': TITLE,
  summary: ['type', 'summary', 'leafUuid'],
  'ai-title': TITLE,
  'cost-state': ['type', 'sessionId', 'totalCostUSD', 'startTime'],
  'last-prompt': ['type', 'sessionId', 'lastPrompt', 'leafUuid'],
};

/** Aside is a record of a subagent inside of the file. */
export function typeOf(record: JsonObject): string {
  const { type, isSidechain, agentId } = record;
  const isAside = isSidechain === true && agentId === undefined && (type === 'user' || type === 'assistant');
  return isAside ? `${type}/sidechain` : plainTypeOf(record);
}

/** The type of a record, aside or not. */
export function plainTypeOf({ type, subtype, attachment, data, message, isApiErrorMessage }: JsonObject): string {
  const name = textIn(type) ?? '';
  if (name === 'system') return `system/${textIn(subtype) ?? ''}`;
  if (name === 'attachment') return `attachment/${textIn(objectIn(attachment)?.type) ?? ''}`;
  if (name === 'progress') return `progress/${textIn(objectIn(data)?.type) ?? ''}`;
  if (name === 'assistant' && isMadeByProgram(message)) {
    return isApiErrorMessage === true ? 'assistant/error' : isFiller(message) ? 'assistant/filler' : name;
  }
  return name;
}
