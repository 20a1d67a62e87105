// Crush: a database in each project, with a row for each session and each message. A list of the projects is in the
// home.
import { isObject } from '../../platform/json.ts';
import type { Agent } from '../agent.ts';
import { textIn } from '../members.ts';
import { ownRows } from '../message-rows.ts';
import { newSession, type SessionMemory } from '../session-state.ts';
import { discover, places } from './places.ts';
import { headFromEnd, headFromStart, translate } from './read.ts';
import { COLUMNS, head, rows } from './rows.ts';

const MESSAGE = ['id', 'role', 'parts', 'model', 'provider', 'created_at', 'isSummary'];

export const crush: Agent<SessionMemory> = {
  name: 'crush',
  title: 'Crush',
  version: 1,
  places,
  discover,
  stored: () => ({ kind: 'rows', columns: COLUMNS, rows, head, own: ownRows }),
  resume: (id) => ['crush', '--session', id],
  initial: newSession,
  translate,
  typeOf: (record) => (isObject(record.session) ? 'session' : (textIn(record.role) ?? '')),
  said: {
    session: ['session.id', 'session.title'],
    user: MESSAGE,
    assistant: [...MESSAGE, 'finished_at'],
    tool: MESSAGE,
  },
  leftOut: {
    'it is the system prompt': ['system'],
    'the program keeps it for its screen, and the result that the model got is said': [
      'tool parts[tool_result].data.metadata',
    ],
    'it is a file, and no event says one that is not a picture': ['user parts[binary]'],
    'only its provider can read it': ['assistant parts[reasoning].data.responses_data'],
  },
  headFromStart,
  headFromEnd,
};
