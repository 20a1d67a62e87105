// GitHub Copilot CLI: a JSONL file of events for each session under ~/.copilot/session-state, appended.
import type { Agent, HeadDraft, JsonObject } from '../agent.ts';
import { copyMarkIn } from '../copy-mark.ts';
import { nonEmpty, objectIn, saysSomething, textIn } from '../members.ts';
import { leftOut } from './left-out.ts';
import { discover, places } from './places.ts';
import { isAside, isInjected, plainTypeOf, remoteIn, translate } from './read.ts';
import { type CopilotState, initialState } from './state.ts';

/** What each record has, and says nothing of the conversation. */
const ENVELOPE = [
  ...['type', 'id', 'timestamp', 'parentId', 'agentId'],
  ...['data.interactionId', 'data.turnId', 'data.rte', 'data.parentToolCallId'],
];
const CONTEXT = ['cwd', 'gitRoot', 'branch', 'headCommit', 'baseCommit', 'repository', 'repositoryHost'];
/** Ids of a request to the model, for its provider. */
const REQUEST = ['data.requestId', 'data.clientRequestId', 'data.serviceRequestId', 'data.apiCallId'];
const BEGINNING = [
  ...ENVELOPE,
  ...CONTEXT.map((member) => `data.context.${member}`),
  'data.sessionId',
  'data.version',
  'data.producer',
  'data.copilotVersion',
  'data.startTime',
  'data.selectedModel',
  'data.resumeTime',
  'data.eventCount',
  'data.eventsFileSizeBytes',
  'data.sessionWasActive',
];
const USER = [
  ...ENVELOPE,
  'data.content',
  'data.attachments',
  'data.messageId',
  'data.delivery',
  'data.source',
  'data.isAutopilotContinuation',
  'data.supportedNativeDocumentMimeTypes',
  'data.parentAgentTaskId',
  // The prompt again, with the date and reminders.
  'data.transformedContent',
];
const USAGE = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens', 'reasoningTokens'];

export const copilot: Agent<CopilotState> = {
  name: 'copilot',
  title: 'Copilot CLI',
  version: 3,
  places,
  discover,
  stored: () => ({ kind: 'lines' }),
  initial: initialState,
  translate,
  insides: ({ insides }) => insides,
  typeOf,
  said: {
    'session.start': BEGINNING,
    'session.resume': BEGINNING,
    'session.model_change': [...ENVELOPE, 'data.newModel', 'data.previousModel', 'data.source'],
    'session.auto_mode_resolved': [...ENVELOPE, 'data.chosenModel'],
    'session.compaction_complete': [
      ...ENVELOPE,
      ...REQUEST,
      'data.success',
      'data.summaryContent',
      'data.preCompactionTokens',
      'data.postCompactionTokens',
      'data.tokensRemoved',
      'data.messagesRemoved',
      'data.preCompactionMessagesLength',
      'data.trigger',
      'data.error',
      'data.checkpointNumber',
      'data.checkpointPath',
      'data.systemTokens',
      'data.conversationTokens',
      'data.toolDefinitionsTokens',
      'data.tokenLimit',
      ...[...USAGE, 'model', 'duration', 'copilotUsage'].map((member) => `data.compactionTokensUsed.${member}`),
    ],
    'session.context_cleared': [...ENVELOPE, 'data.messagesCleared'],
    'session.binary_asset': [...ENVELOPE, 'data.assetId', 'data.type', 'data.mimeType', 'data.byteLength', 'data.data'],
    'session.usage_record': [...ENVELOPE, 'data.usage'],
    'session.shutdown': [
      ...ENVELOPE,
      'data.shutdownType',
      'data.modelMetrics',
      'data.agentMetrics',
      'data.providerModelMetrics',
      'data.accountingSnapshot',
      'data.usageAccountingWatermarks',
      'data.tokenDetails',
      'data.totalPremiumRequests',
      'data.totalNanoAiu',
      'data.totalApiDurationMs',
      'data.sessionStartTime',
      'data.eventsFileSizeBytes',
      'data.currentModel',
      'data.currentTokens',
      'data.systemTokens',
      'data.conversationTokens',
      'data.toolDefinitionsTokens',
    ],
    'session.error': [...ENVELOPE, ...REQUEST, 'data.message', 'data.stack', 'data.providerCallId'],
    'user.message': USER,
    'assistant.message': [
      ...ENVELOPE,
      ...REQUEST,
      'data.messageId',
      'data.originatingMessageId',
      'data.model',
      'data.content',
      'data.toolRequests',
      'data.reasoningText',
      'data.reasoningOpaque',
      'data.outputTokens',
      'data.phase',
      'data.chunkIndex',
      'data.chunkCount',
    ],
    'assistant.turn_end': [...ENVELOPE, 'data.model'],
    'permission.requested': [...ENVELOPE, 'data.requestId', 'data.permissionRequest.toolCallId'],
    'permission.completed': [
      ...ENVELOPE,
      'data.requestId',
      'data.toolCallId',
      'data.result.kind',
      'data.decisionSource',
    ],
    'tool.execution_start': [...ENVELOPE, 'data.toolCallId', 'data.toolName', 'data.arguments', 'data.model'],
    'tool.execution_complete': [
      ...ENVELOPE,
      'data.toolCallId',
      'data.model',
      'data.success',
      'data.isUserRequested',
      'data.result.content',
      'data.result.binaryResultsForLlm',
      'data.error.message',
      'data.error.code',
      'data.toolTelemetry',
    ],
    abort: [...ENVELOPE, 'data.reason'],
    'subagent.started': [...ENVELOPE, 'data.toolCallId', 'data.model'],
    'subagent.completed': [...ENVELOPE, 'data.toolCallId', 'data.model', 'data.durationMs'],
    'subagent.failed': [...ENVELOPE, 'data.toolCallId', 'data.model', 'data.error', 'data.durationMs'],
  },
  leftOut,
  headFromStart,
  headFromEnd,
};

function typeOf(record: JsonObject): string {
  return isAside(record) ? `${textIn(record.type) ?? ''}/subagent` : plainTypeOf(record);
}

function headFromStart(record: JsonObject, head: HeadDraft): boolean {
  const data = objectIn(record.data) ?? {};
  if (record.type === 'session.start') {
    const context = objectIn(data.context);
    head.startedAt ??= nonEmpty(data.startTime);
    head.cwd ??= nonEmpty(context?.cwd);
    head.branch ??= nonEmpty(context?.branch);
    head.remote ??= context && remoteIn(context);
    head.version ??= nonEmpty(data.copilotVersion);
    head.copyMark ??= copyMarkIn(data.handover);
  }
  const prompt = textIn(data.content);
  if (record.type === 'user.message' && !isAside(record) && !isInjected(data) && saysSomething(prompt)) {
    head.firstPrompt ??= prompt;
  }
  return head.firstPrompt !== undefined;
}

function headFromEnd(record: JsonObject, head: HeadDraft): boolean {
  head.lastActivity ??= nonEmpty(record.timestamp);
  const data = objectIn(record.data);
  if (record.type === 'assistant.message' && !isAside(record)) head.model ??= nonEmpty(data?.model);
  return head.lastActivity !== undefined && head.model !== undefined;
}
