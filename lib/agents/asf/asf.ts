// Sessions of the Agent Session Format: JSON lines, a header and then entries. No program keeps them in a known place:
// they are files that the user was sent.
import type { Agent, HeadDraft, JsonObject } from '../agent.ts';
import { joinedTexts, nonEmpty, objectIn, objectsIn, textIn } from '../members.ts';
import { translate } from './read.ts';
import { type AsfState, initialState } from './state.ts';

const ENVELOPE = ['type', 'id', 'parent', 'ts', 'ollm'];
const ITEM = [...ENVELOPE, 'response', 'visible', 'status', 'item.type', 'item.id', 'item.status'];

export const asf: Agent<AsfState> = {
  name: 'asf',
  title: 'Agent Session Format',
  version: 1,
  places: () => [],
  discover: () => [],
  stored: () => ({ kind: 'lines' }),
  initial: initialState,
  translate,
  typeOf,
  said: {
    session: ['type', 'format', 'id', 'created_at', 'cwd', 'parent_session'],
    config: [...ENVELOPE, 'model', 'instructions', 'extra.provider', 'replace'],
    env: [...ENVELOPE, 'cwd', 'vcs.system', 'vcs.revision'],
    run: [...ENVELOPE, 'run_id', 'phase', 'source', 'ref', 'reason', 'pending'],
    'item/message': [...ITEM, 'item.role', 'item.content'],
    'item/reasoning': [...ITEM, 'item.summary', 'item.content', 'item.encrypted_content'],
    'item/function_call': [...ITEM, 'item.call_id', 'item.name', 'item.arguments'],
    'item/function_call_output': [...ITEM, 'item.call_id', 'item.output'],
    response: [...ENVELOPE, 'response_id', 'model', 'status', 'usage', 'error'],
    decision: [...ENVELOPE, 'call_id', 'target', 'verdict', 'by', 'reason', 'args'],
    dispatch: [...ENVELOPE, 'call_id', 'target'],
    compaction: [...ENVELOPE, 'first_kept', 'summary', 'tokens_before'],
    branch_summary: [...ENVELOPE, 'from', 'summary'],
    info: [...ENVELOPE, 'name'],
  },
  leftOut: {
    'it says who wrote the file, and in which profile': [
      ...['session payload', 'session harness', 'session exported_by', 'session media', 'session spawned_by'],
    ],
    'it is a setting, and nothing that was said': ['config *', 'compaction config', 'env *'],
    'it is about the request, and the answer is said': [
      ...['response incomplete', 'response request_hash', 'response latency_ms', 'compaction usage'],
    ],
    'the format has it for no reader but its own program': ['custom'],
    'it is about the session, and nothing that was said': ['label', 'outcome', 'link', 'branch_summary usage'],
  },
  headFromStart,
  headFromEnd,
};

function typeOf({ type, item }: JsonObject): string {
  const name = textIn(type) ?? '';
  return name === 'item' ? `item/${textIn(objectIn(item)?.type) ?? ''}` : name;
}

function headFromStart(record: JsonObject, head: HeadDraft): boolean {
  if (record.type === 'session') {
    head.startedAt ??= nonEmpty(record.created_at);
    head.cwd ??= nonEmpty(record.cwd);
    head.forkedFrom ??= nonEmpty(record.parent_session);
  }
  const item = objectIn(record.item);
  if (item?.type === 'message' && item.role === 'user' && record.visible !== false) {
    const texts = objectsIn(item.content).map(({ text }) => textIn(text));
    head.firstPrompt ??= joinedTexts(texts);
  }
  return head.firstPrompt !== undefined;
}

function headFromEnd(record: JsonObject, head: HeadDraft): boolean {
  head.lastActivity ??= nonEmpty(record.ts);
  if (record.type === 'info') head.title ??= nonEmpty(record.name);
  if (record.type === 'config' || record.type === 'response') head.model ??= nonEmpty(record.model);
  return head.title !== undefined && head.model !== undefined;
}
