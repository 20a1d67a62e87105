// Kimi Code CLI: a folder for each session, and in it a file of lines for each of its agents, appended.
import type { Agent, HeadDraft, JsonObject } from '../agent.ts';
import { nonEmpty, objectIn, textIn } from '../members.ts';
import { timeOf } from '../times.ts';
import { discover, places } from './places.ts';
import { promptIn, timeIn, translate } from './read.ts';
import { initialState, type KimiState } from './state.ts';

const RECORD = ['type', 'time', 'agentId'];
const STEP = ['uuid', 'turnId', 'step', 'stepUuid', 'type'].map((member) => `event.${member}`);
const LOOP = 'context.append_loop_event';

export const kimi: Agent<KimiState> = {
  name: 'kimi',
  title: 'Kimi Code CLI',
  version: 2,
  places,
  discover,
  stored: () => ({ kind: 'lines' }),
  resume: (id) => ['kimi', '--session', id],
  initial: initialState,
  translate,
  typeOf,
  said: {
    metadata: ['type', 'protocol_version', 'created_at'],
    'config.update': [...RECORD, 'cwd', 'modelAlias', 'thinkingEffort', 'profileName', 'subagentNames'],
    'profile.bind': [...RECORD, 'modelAlias', 'profileName', 'thinkingEffort', 'environmentDisclosure.cwd'],
    'turn.prompt': [...RECORD, 'input', 'origin', 'promptId', 'turnId'],
    'turn.ended': [...RECORD, 'turnId', 'reason', 'error.message', 'durationMs'],
    'turn.cancel': [...RECORD, 'turnId', 'target', 'reason'],
    'llm.request': [...RECORD, 'kind', 'provider', 'model', 'modelAlias', 'turnStep', 'messageCount'],
    'context.append_message/user': [...RECORD, 'message'],
    [`${LOOP}/step.begin`]: [...RECORD, ...STEP],
    [`${LOOP}/content.part`]: [...RECORD, ...STEP, 'event.part'],
    [`${LOOP}/tool.call`]: [...RECORD, ...STEP, 'event.toolCallId', 'event.name', 'event.args'],
    [`${LOOP}/tool.result`]: [
      ...RECORD,
      ...STEP,
      'event.parentUuid',
      'event.toolCallId',
      ...['output', 'isError', 'durationMs'].map((member) => `event.result.${member}`),
    ],
    [`${LOOP}/step.end`]: [
      ...RECORD,
      ...STEP,
      ...['usage', 'finishReason', 'providerFinishReason', 'rawFinishReason', 'messageId'].map(
        (name) => `event.${name}`,
      ),
    ],
    'context.apply_compaction': [...RECORD, 'summary', 'contextSummary', 'tokensBefore', 'tokensAfter'],
    'full_compaction.begin': [...RECORD, 'source'],
  },
  leftOut: {
    'it is the system prompt': ['config.update systemPrompt', 'profile.bind systemPrompt'],
    'it lists tools and agents that the model was offered': [
      'tools.set_active_tools',
      'llm.tools_snapshot',
      'profile.bind activeToolNames',
      'profile.bind disallowedTools',
      'profile.bind subagents',
    ],
    'it is a setting or a place, and nothing that was said': [
      'permission.set_mode',
      'plan_mode.*',
      'plugin.session_start',
      'profile.bind agentsMdPaths',
      'profile.bind environmentDisclosure.date',
      'runtime.set_binding',
    ],
    'another record says it': [
      'agent.message.appended',
      'agent.turn.*',
      'full_compaction.complete',
      'prompt.*',
      'token_counting.*',
      'turn.step.interrupted',
      'usage.record',
    ],
    'it waits, and comes again as a message when it is sent': ['turn.steer'],
    'the call that was permitted is said': ['permission.record_approval_result'],
    'it is how the answer was asked for': ['llm.request *'],
    'it says how fast an answer came': [`${LOOP}/step.end event.llm*`],
    'it names the kind of an error whose text is said': ['turn.ended error.*'],
    'the program keeps it for its screen': [
      `${LOOP}/tool.call event.description`,
      `${LOOP}/tool.call event.display`,
      `${LOOP}/tool.result event.result.*`,
    ],
    'it is how the compaction was made': [
      'context.apply_compaction compactedCount',
      'context.apply_compaction keptUserMessageCount',
    ],
  },
  headFromStart,
  headFromEnd,
};

function typeOf({ type, event, message }: JsonObject): string {
  const name = textIn(type) ?? '';
  if (name === LOOP) return `${name}/${textIn(objectIn(event)?.type) ?? ''}`;
  return name === 'context.append_message' ? `${name}/${textIn(objectIn(message)?.role) ?? ''}` : name;
}

function headFromStart(record: JsonObject, head: HeadDraft): boolean {
  if (record.type === 'metadata') head.startedAt ??= timeOf(timeIn(record));
  if (record.type === 'turn.prompt') head.firstPrompt ??= promptIn(record.input);
  return head.firstPrompt !== undefined;
}

function headFromEnd(record: JsonObject, head: HeadDraft): boolean {
  head.lastActivity ??= timeOf(timeIn(record));
  if (record.type === 'llm.request') head.model ??= nonEmpty(record.model);
  return head.lastActivity !== undefined && head.model !== undefined;
}
