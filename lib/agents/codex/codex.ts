// Codex: JSONL files under ~/.codex/sessions, appended, one for each session.
import { gitRemote } from '../../platform/git-remote.ts';
import type { Agent, HeadDraft, JsonObject } from '../agent.ts';
import { copyMarkIn } from '../copy-mark.ts';
import { nonEmpty, objectIn, textIn } from '../members.ts';
import { leftOut } from './left-out.ts';
import { discover, lockOf, places } from './places.ts';
import { promptOf, translate, unwrapped } from './read.ts';
import { type CodexState, initialState } from './state.ts';

/** What each line has, and says nothing of the conversation. */
const ENVELOPE = ['timestamp', 'ordinal', 'type', 'metadata', 'payload.type', 'payload.turn_id', 'payload.thread_id'];
const TASK = [
  ...ENVELOPE,
  'payload.root_turn_id',
  'payload.turn_attribution',
  'payload.started_at',
  'payload.completed_at',
  'payload.duration_ms',
  'payload.time_to_first_token_ms',
];
const ITEM = [
  ...ENVELOPE,
  'payload.id',
  'payload.call_id',
  'payload.status',
  'payload.internal_chat_message_metadata_passthrough',
];
/** A record without the envelope, as in the oldest files. */
const BARE_ITEM = ['id', 'call_id', 'status'];
const MESSAGE = [...ITEM, 'payload.role', 'payload.content', 'payload.phase', 'role', 'content', 'id'];
/** Copies for the screen: the messages themselves are in the other family. */
const SHOWN = [...ENVELOPE, 'payload.message', 'payload.text', 'payload.phase', 'payload.kind', 'payload.client_id'];
const ITEM_SHOWN = [...ENVELOPE, 'payload.item', 'payload.started_at_ms', 'payload.completed_at_ms'];

export const codex: Agent<CodexState> = {
  name: 'codex',
  title: 'Codex',
  version: 4,
  places,
  lockOf,
  discover,
  stored: ({ path }) => ({ kind: 'lines', ...(path.endsWith('.zst') ? { packed: 'zstd' } : {}) }),
  initial: initialState,
  translate,
  typeOf,
  said: {
    session_meta: [
      ...ENVELOPE,
      'payload.id',
      'payload.session_id',
      'payload.timestamp',
      'payload.cwd',
      'payload.originator',
      'payload.model_provider',
      'payload.source',
      'payload.thread_source',
      'payload.git.branch',
      'payload.git.commit_hash',
      'payload.git.repository_url',
      'payload.forked_from_id',
      'id',
      'git.branch',
      'git.commit_hash',
      'git.repository_url',
    ],
    turn_context: [...ENVELOPE, 'payload.root_turn_id', 'payload.model', 'payload.cwd'],
    'response_item/message/user': MESSAGE,
    'response_item/message/assistant': MESSAGE,
    'response_item/reasoning': [
      ...ITEM,
      ...BARE_ITEM,
      ...['summary', 'content', 'encrypted_content'].flatMap((member) => [member, `payload.${member}`]),
    ],
    'response_item/function_call': [...ITEM, ...BARE_ITEM, 'payload.name', 'payload.arguments', 'name', 'arguments'],
    'response_item/custom_tool_call': [...ITEM, 'payload.name', 'payload.input'],
    'response_item/tool_search_call': [...ITEM, 'payload.arguments'],
    'response_item/local_shell_call': [...ITEM, 'payload.action'],
    'response_item/web_search_call': [...ITEM, 'payload.action'],
    'response_item/function_call_output': [...ITEM, ...BARE_ITEM, 'payload.output', 'output'],
    'response_item/custom_tool_call_output': [...ITEM, 'payload.output'],
    'response_item/tool_search_output': [...ITEM, 'payload.tools', 'payload.output'],
    'event_msg/task_started': TASK,
    'event_msg/task_complete': [...TASK, 'payload.last_agent_message', 'payload.error.message'],
    'event_msg/turn_aborted': [...TASK, 'payload.reason'],
    'event_msg/thread_rolled_back': [...ENVELOPE, 'payload.num_turns'],
    'event_msg/error': [...ENVELOPE, 'payload.message'],
    'event_msg/user_message': [...SHOWN, 'payload.images', 'payload.local_images', 'payload.text_elements'],
    'event_msg/agent_message': SHOWN,
    'event_msg/agent_reasoning': SHOWN,
    'event_msg/item_completed/UserMessage': ITEM_SHOWN,
    'event_msg/item_completed/AgentMessage': ITEM_SHOWN,
    'event_msg/item_completed/Reasoning': ITEM_SHOWN,
    'event_msg/item_completed/ContextCompaction': ITEM_SHOWN,
    'event_msg/context_compacted': ENVELOPE,
    'event_msg/token_count': [...ENVELOPE, 'payload.info'],
    token_usage_record: [
      ...ENVELOPE,
      'payload.session_id',
      'payload.root_turn_id',
      'payload.response_id',
      'payload.usage',
      'payload.turn_token_usage',
      'payload.thread_token_usage',
    ],
    compacted: [
      ...ENVELOPE,
      'payload.message',
      'payload.replacement_history',
      'payload.window_number',
      'payload.window_id',
      'payload.first_window_id',
      'payload.previous_window_id',
    ],
  },
  leftOut,
  headFromStart,
  headFromEnd,
};

function typeOf(record: JsonObject): string {
  const { kind, payload } = unwrapped(record);
  if (kind !== 'response_item' && kind !== 'event_msg') return kind;
  const type = `${kind}/${textIn(payload.type) ?? ''}`;
  if (payload.type === 'message') return `${type}/${textIn(payload.role) ?? ''}`;
  if (payload.type === 'item_completed') return `${type}/${textIn(objectIn(payload.item)?.type) ?? ''}`;
  return type;
}

function headFromStart(record: JsonObject, head: HeadDraft): boolean {
  const { kind, payload } = unwrapped(record);
  if (kind === 'session_meta') {
    head.startedAt ??= nonEmpty(payload.timestamp);
    head.cwd ??= nonEmpty(payload.cwd);
    head.branch ??= nonEmpty(objectIn(payload.git)?.branch);
    head.version ??= nonEmpty(payload.cli_version);
    // After the first one, a copy has those of the session that it was forked from.
    if (head.startedAt === payload.timestamp) head.forkedFrom ??= nonEmpty(payload.forked_from_id);
    head.copyMark ??= copyMarkIn(payload.handover);
    head.remote ??= gitRemote(textIn(objectIn(payload.git)?.repository_url) ?? '');
  }
  if (kind === 'turn_context') head.cwd ??= nonEmpty(payload.cwd);
  if (kind === 'response_item' && payload.type === 'message' && payload.role === 'user') {
    const prompt = promptOf(payload);
    if (prompt !== undefined) head.firstPrompt ??= prompt;
  }
  return head.firstPrompt !== undefined && head.startedAt !== undefined;
}

function headFromEnd(record: JsonObject, head: HeadDraft): boolean {
  const { kind, payload } = unwrapped(record);
  head.lastActivity ??= nonEmpty(record.timestamp);
  if (kind === 'turn_context') head.model ??= nonEmpty(payload.model);
  return head.model !== undefined && head.lastActivity !== undefined;
}
