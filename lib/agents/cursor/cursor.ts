// Cursor: its command line and its editor, which keep sessions in databases of different kinds, with transcripts next
// to them. Only databases of a workspace were seen in a genuine file; the rest follows what others report.
import type { Agent, JsonObject, SourceForm } from '../agent.ts';
import { CLI, cliHead, cliRows } from './cli-store.ts';
import {
  editorHead,
  GLOBAL,
  globalRows,
  ownOfGlobal,
  ownOfWorkspace,
  WORKSPACE,
  workspaceRows,
} from './editor-store.ts';
import { headFromEnd, headFromStart } from './head.ts';
import { leftOut } from './left-out.ts';
import { discover, places } from './places.ts';
import { translate } from './read.ts';
import { isOfUser, roleOf } from './shape.ts';
import { type CursorState, initialState } from './state.ts';

const WORKSPACE_ROWS: SourceForm = {
  kind: 'rows',
  columns: WORKSPACE,
  rows: workspaceRows,
  head: (database, source) => editorHead(workspaceRows(database, source), source),
  own: ownOfWorkspace,
};
const STORED: Readonly<Record<string, SourceForm>> = {
  cli: { kind: 'rows', columns: CLI, rows: cliRows, head: cliHead },
  composer: WORKSPACE_ROWS,
  chat: WORKSPACE_ROWS,
  global: {
    kind: 'rows',
    columns: GLOBAL,
    rows: globalRows,
    head: (database, source) => editorHead(globalRows(database, source), source),
    own: ownOfGlobal,
  },
};
/** A database that is not known to hold the session: it has login tokens too, and is not read as a file of lines. */
const UNKNOWN_ROWS: SourceForm = { kind: 'rows', columns: {}, rows: () => [], head: () => ({}) };
const DATABASE = /\.(?:db|vscdb)$/;
const MESSAGE = ['blob', 'role', 'message.id', 'message.role', 'message.content'];
const BUBBLE = [
  'type',
  'messageType',
  'bubbleId',
  'id',
  'text',
  'rawText',
  'createdAt',
  'modelType',
  'tokenCount',
  '_v',
];
const CALL = ['name', 'toolCallId', 'status', 'rawArgs', 'params', 'result', 'error'];

export const cursor: Agent<CursorState> = {
  name: 'cursor',
  title: 'Cursor',
  version: 1,
  places,
  discover,
  stored: ({ facts, path }) => STORED[String(facts?.store)] ?? (DATABASE.test(path) ? UNKNOWN_ROWS : { kind: 'lines' }),
  initial: initialState,
  translate,
  typeOf,
  said: {
    session: ['id', 'name', 'model', 'createdAt'].map((member) => `session.${member}`),
    'bubble/user': BUBBLE.map((member) => `bubble.${member}`),
    'bubble/assistant': [
      ...[...BUBBLE, 'thinking.text', ...CALL.map((member) => `toolFormerData.${member}`)].map(
        (member) => `bubble.${member}`,
      ),
    ],
    'message/user': MESSAGE,
    'message/assistant': MESSAGE,
    'message/tool': MESSAGE,
    turn_ended: ['type', 'status', 'error'],
  },
  leftOut,
  headFromStart,
  headFromEnd,
};

function typeOf(record: JsonObject): string {
  if (record.session !== undefined) return 'session';
  if (record.bubble !== undefined) return isOfUser(record) ? 'bubble/user' : 'bubble/assistant';
  if (typeof record.type === 'string') return record.type;
  return `message/${roleOf(record)}`;
}
