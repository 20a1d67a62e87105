// Hermes Agent: one database for all sessions, with a row for each message in the form of OpenAI's chats.
import { isObject } from '../../platform/json.ts';
import type { Agent } from '../agent.ts';
import { textIn } from '../members.ts';
import { ownRows } from '../message-rows.ts';
import { newSession, type SessionMemory } from '../session-state.ts';
import { discover, places } from './places.ts';
import { headFromEnd, headFromStart, translate } from './read.ts';
import { COLUMNS, head, rows } from './rows.ts';

const MESSAGE = ['id', 'role', 'content', 'timestamp'];

export const hermes: Agent<SessionMemory> = {
  name: 'hermes',
  title: 'Hermes Agent',
  version: 1,
  places,
  discover,
  stored: () => ({ kind: 'rows', columns: COLUMNS, rows, head, own: ownRows }),
  resume: (id) => ['hermes', '--resume', id],
  initial: newSession,
  translate,
  typeOf: (record) => (isObject(record.session) ? 'session' : (textIn(record.role) ?? '')),
  said: {
    session: ['id', 'title', 'title_source', 'model', 'billing_provider', 'cwd', 'git_branch'].map(
      (name) => `session.${name}`,
    ),
    user: [...MESSAGE, 'display_kind', '_compressed_summary'],
    assistant: [...MESSAGE, 'tool_calls', 'finish_reason', 'reasoning', 'reasoning_content'],
    tool: [...MESSAGE, 'tool_call_id', 'tool_name'],
  },
  leftOut: {
    'it is the system prompt': ['system'],
    'it is a place, and nothing that was said': ['session session.source'],
    'only its provider can read it': ['assistant reasoning_details', 'assistant codex_reasoning_items'],
    'it is the text of the answer in the form of its provider': ['assistant codex_message_items'],
    'it was shown to the user, and not sent to the model': ['assistant display_kind', 'tool display_kind'],
  },
  headFromStart,
  headFromEnd,
};
