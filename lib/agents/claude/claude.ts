// Claude Code: JSONL files under ~/.claude/projects, appended, one for each session and for each of its subagents.
import type { Agent, Beginning, HeadDraft, JsonObject } from '../agent.ts';
import { nonEmpty, objectIn, objectsIn, saysSomething, shortened, textIn } from '../members.ts';
import { divide } from './injected.ts';
import { discover, places } from './places.ts';
import { PROVIDER, translate } from './read.ts';
import { type ClaudeState, initialState } from './state.ts';

const PROMPT_CHARACTERS = 500;

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

export const claude: Agent<ClaudeState> = {
  name: 'claude',
  title: 'Claude Code',
  version: 1,
  places,
  discover,
  stored: () => ({ kind: 'lines' }),
  initial: initialState,
  translate,
  begin,
  typeOf,
  said: {
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
  },
  headFromStart,
  headFromEnd,
};

function begin(record: JsonObject, { title }: ClaudeState): Beginning {
  const branch = nonEmpty(record.gitBranch);
  return {
    provider: PROVIDER,
    title: title === '' ? undefined : title,
    cwd: nonEmpty(record.cwd),
    ...(branch === undefined || branch === 'HEAD' ? {} : { git: { branch } }),
  };
}

function typeOf({
  type,
  subtype,
  attachment,
  data,
  message,
  isSidechain,
  agentId,
  isApiErrorMessage,
}: JsonObject): string {
  const name = textIn(type) ?? '';
  if (name === 'system') return `system/${textIn(subtype) ?? ''}`;
  if (name === 'attachment') return `attachment/${textIn(objectIn(attachment)?.type) ?? ''}`;
  if (name === 'progress') return `progress/${textIn(objectIn(data)?.type) ?? ''}`;
  if (isSidechain === true && agentId === undefined) return `${name}/sidechain`;
  if (name === 'assistant' && objectIn(message)?.model === '<synthetic>') {
    return isApiErrorMessage === true ? 'assistant/error' : 'assistant/synthetic';
  }
  return name;
}

function headFromStart(record: JsonObject, head: HeadDraft): boolean {
  head.startedAt ??= nonEmpty(record.timestamp);
  head.cwd ??= nonEmpty(record.cwd);
  if (record.type === 'user' && head.firstPrompt === undefined) {
    const prompt = promptOf(record);
    if (prompt !== undefined) head.firstPrompt = shortened(prompt, PROMPT_CHARACTERS);
  }
  return head.firstPrompt !== undefined && head.cwd !== undefined;
}

function promptOf(record: JsonObject): string | undefined {
  const content = objectIn(record.message)?.content;
  if (objectsIn(content).some(({ type }) => type === 'tool_result')) return undefined;
  const texts = typeof content === 'string' ? [content] : objectsIn(content).map(({ text }) => textIn(text) ?? '');
  const { typed } = divide(
    record,
    texts.filter(saysSomething).map((text) => ({ type: 'text', text })),
  );
  return typed.find((part) => part.type === 'text')?.text;
}

/** A title of the user's goes before one that the program made. */
function headFromEnd(record: JsonObject, head: HeadDraft): boolean {
  head.lastActivity ??= nonEmpty(record.timestamp);
  head.branch ??= nonEmpty(record.gitBranch);
  head.version ??= nonEmpty(record.version);
  if (record.type === 'assistant' && head.model === undefined) {
    const model = nonEmpty(objectIn(record.message)?.model);
    if (model !== '<synthetic>') head.model = model;
  }
  const custom = record.type === 'custom-title' ? nonEmpty(record.customTitle) : undefined;
  if (custom !== undefined) head.title = custom;
  if (record.type === 'ai-title') head.title ??= nonEmpty(record.aiTitle);
  return custom !== undefined && head.model !== undefined;
}
