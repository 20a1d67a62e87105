// goose: one database for all sessions, with a row for each message. Versions before it kept a file of lines for each
// session, whose first line is about the session.
import { isObject } from '../../platform/json.ts';
import type { Agent, JsonObject, Source, SourceForm } from '../agent.ts';
import { nonEmpty, textIn } from '../members.ts';
import { ownRows } from '../message-rows.ts';
import { headFromEnd, headFromStart } from './head.ts';
import { discover, LINES, places } from './places.ts';
import { translate } from './read.ts';
import { COLUMNS, head, rows } from './rows.ts';
import { type GooseState, initialState } from './state.ts';

const MESSAGE = ['id', 'role', 'created', 'content', 'metadata.userVisible', 'metadata.agentVisible'];
const ABOUT = ['turnContext', 'steer', 'inference', 'usage'].map((member) => `metadata.${member}`);
const TOKENS = ['total_tokens', 'input_tokens', 'output_tokens'];

export const goose: Agent<GooseState> = {
  name: 'goose',
  title: 'goose',
  version: 1,
  places,
  discover,
  stored,
  resume: (id) => ['goose', 'session', '--resume', '--session-id', id],
  initial: initialState,
  translate,
  typeOf,
  said: {
    session: ['session', 'working_dir', 'description', 'message_count'],
    user: [...MESSAGE, ...ABOUT],
    assistant: [...MESSAGE, ...ABOUT],
  },
  leftOut: {
    'it is a sum over answers': TOKENS.map((name) => `session accumulated_${name}`),
    'it is about the last answer of the session': TOKENS.map((name) => `session ${name}`),
    'it is a setting, and nothing that was said': ['session schedule_id', 'session extension_data', 'session recipe'],
    'it was shown to the user, and not sent to the model': [
      'assistant content[systemNotification]',
      'assistant content[toolConfirmationRequest]',
      'assistant content[actionRequired]',
      'user content[actionRequired]',
    ],
    'it is a file, and no event says one that is not a picture': ['user content[document]'],
    'it is how the answer was made, and its end is said': [
      'assistant metadata.outputTokenLimitReached',
      'assistant metadata.operations',
    ],
  },
  headFromStart,
  headFromEnd,
};

function stored({ path }: Source): SourceForm {
  return path.endsWith(LINES) ? { kind: 'lines' } : { kind: 'rows', columns: COLUMNS, rows, head, own: ownRows };
}

function typeOf(record: JsonObject): string {
  const isAbout = isObject(record.session) || nonEmpty(record.role) === undefined;
  return isAbout ? 'session' : (textIn(record.role) ?? '');
}
