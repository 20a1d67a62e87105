// Cline and the programs that began as copies of it, Roo Code and Kilo Code: a folder for each task in the storage of
// an editor. Cline 3 for the command line keeps one document for each session instead.
import type { Agent, JsonObject, Source, SourceForm } from '../agent.ts';
import { nonEmpty, objectIn, textIn } from '../members.ts';
import { discover, type Editors, MESSAGES, places } from './places.ts';
import { headFromEnd, headFromStart, translate } from './read.ts';
import { type ClineState, initialState } from './state.ts';
import { headOfTask, recordsOfTask } from './tasks.ts';

const MESSAGE = ['index', 'at', 'model', 'message.role', 'message.content', 'message.ts', 'message.id'];

export const cline: Agent<ClineState> = agent({
  name: 'cline',
  title: 'Cline',
  editors: { extension: 'saoudrizwan.claude-dev', ownFolders: ({ env, home }) => ownFolders(env, home) },
  // Only a session of the command line has an underscore.
  resume: (id) => (id.includes('_') ? ['cline', '--id', id] : undefined),
});

export const roo: Agent<ClineState> = agent({
  name: 'roo',
  title: 'Roo Code',
  editors: { extension: 'rooveterinaryinc.roo-cline' },
});

export const kilo: Agent<ClineState> = agent({
  name: 'kilo',
  title: 'Kilo Code',
  editors: { extension: 'kilocode.kilo-code', ownFolders: ({ home }) => [`${home}/.kilocode/cli/global/tasks`] },
});

function ownFolders(env: Readonly<Record<string, string | undefined>>, home: string): readonly string[] {
  const data = env.CLINE_DATA_DIR || `${env.CLINE_DIR || `${home}/.cline`}/data`;
  return [`${data}/tasks`, env.CLINE_SESSION_DATA_DIR || `${data}/sessions`];
}

interface Made {
  readonly name: string;
  readonly title: string;
  readonly editors: Editors;
  readonly resume?: Agent['resume'];
}

function agent({ name, title, editors, resume }: Made): Agent<ClineState> {
  return {
    name,
    title,
    version: 1,
    places: (surroundings) => places(surroundings, editors),
    discover,
    stored,
    ...(resume !== undefined && { resume }),
    initial: initialState,
    translate,
    typeOf,
    said: {
      session: ['version', 'agent', 'sessionId', 'origin'],
      user: ['id', 'role', 'content', 'ts'],
      assistant: ['id', 'role', 'content', 'ts', 'modelInfo', 'metrics'],
      'task/user': MESSAGE,
      'task/assistant': [...MESSAGE, 'message.modelInfo'],
      'task/summary': MESSAGE,
      request: ['request', 'answer', 'at', 'model'],
    },
    leftOut: {
      'it tells the model its surroundings': [
        'task/user content[environment_details]',
        'task/user content[task_progress]',
        'user content[environment_details]',
      ],
      'another record says it': ['task/assistant message.metrics'],
      'it is a second form of the reasoning, which only the model can read': [
        'task/assistant message.reasoning_details',
        'task/assistant content[thoughtSignature]',
      ],
      'it names the messages that a summary replaced': [
        'task/* message.condenseParent',
        'task/summary message.condenseId',
        'task/summary message.isSummary',
      ],
    },
    headFromStart,
    headFromEnd,
  };
}

function stored({ path }: Source): SourceForm {
  if (path.endsWith('.json') && !path.endsWith(MESSAGES)) {
    return { kind: 'document', header: ['version', 'agent', 'sessionId', 'origin'], list: 'messages' };
  }
  return { kind: 'files', records: recordsOfTask, head: headOfTask };
}

function typeOf(record: JsonObject): string {
  if (record.request !== undefined) return 'request';
  const message = objectIn(record.message);
  if (message?.isSummary === true) return 'task/summary';
  if (message !== undefined) return `task/${textIn(message.role) ?? ''}`;
  return nonEmpty(record.role) ?? 'session';
}
