// opencode: all sessions in one SQLite database, with a row for each message and each of its parts; versions before it
// have a file for each. A session that the program exported is one document.
import type { Agent, JsonObject, Source, SourceForm } from '../agent.ts';
import { objectIn, textIn } from '../members.ts';
import { headOfFiles, recordsOfFiles } from './files.ts';
import { headFromEnd, headFromStart } from './head.ts';
import { leftOut } from './left-out.ts';
import { discover, type Program, places } from './places.ts';
import { translate } from './read.ts';
import { COLUMNS, head, own, rows } from './rows.ts';
import { sessionIn } from './shape.ts';
import { initialState, type OpencodeState } from './state.ts';

const INFO = ['id', 'sessionID', 'role', 'time', 'agent', 'mode', 'variant', 'parentID', 'path', 'model'];
const ANSWER = ['modelID', 'providerID', 'summary', 'tokens', 'cost', 'finish', 'error.name', 'error.data.message'];
const PART = ['message', 'part.id', 'part.sessionID', 'part.messageID', 'part.type', 'part.time'];
const SESSION = [
  'id',
  'parentID',
  'projectID',
  'slug',
  'directory',
  'title',
  'version',
  'revert',
  'time',
  'tokens',
  'cost',
];

export const opencode: Agent<OpencodeState> = agent({
  title: 'opencode',
  program: { agent: 'opencode', folder: 'opencode', variable: 'OPENCODE_DB' },
});

export const kiloCli: Agent<OpencodeState> = agent({
  title: 'Kilo CLI',
  program: { agent: 'kilo-cli', folder: 'kilo', variable: 'KILO_DB' },
  resume: (id) => ['kilo', '--session', id],
});

interface Made {
  readonly title: string;
  readonly program: Program;
  readonly resume?: Agent['resume'];
}

function agent({ title, program, resume }: Made): Agent<OpencodeState> {
  return {
    name: program.agent,
    title,
    version: 2,
    places: (surroundings) => places(surroundings, program),
    discover: (place, looking) => discover(program, place, looking),
    ...(resume !== undefined && { resume }),
    stored,
    initial: initialState,
    translate,
    typeOf,
    said: {
      session: SESSION.flatMap((member) => [`session.${member}`, `info.${member}`]),
      'message/user': [...INFO.map((member) => `info.${member}`), 'parts'],
      'message/assistant': [...[...INFO, ...ANSWER].map((member) => `info.${member}`), 'parts'],
      'part/text': [...PART, 'part.text'],
      'part/reasoning': [...PART, 'part.text', 'part.metadata'],
      'part/file': [...PART, 'part.mime', 'part.filename', 'part.url'],
      'part/step-start': [...PART, 'part.snapshot'],
      'part/step-finish': [...PART, 'part.snapshot', 'part.reason', 'part.tokens', 'part.cost'],
      'part/tool': [
        ...PART,
        'part.callID',
        'part.tool',
        'part.state.status',
        'part.state.input',
        'part.state.output',
        'part.state.error',
        'part.state.time',
        'part.state.attachments',
        'part.state.metadata.sessionId',
      ],
      undone: ['undone.messageID', 'undone.partID'],
      'message/end': ['id', 'time', ...ANSWER].map((member) => `ended.${member}`),
    },
    leftOut,
    headFromStart,
    headFromEnd,
  };
}

function stored({ path, facts }: Source): SourceForm {
  if (facts?.store === 'files') return { kind: 'files', records: recordsOfFiles, head: headOfFiles };
  if (path.endsWith('.json')) return { kind: 'document', header: ['info'], list: 'messages' };
  return { kind: 'rows', columns: COLUMNS, rows, head, own };
}

function typeOf(record: JsonObject): string {
  if (sessionIn(record) !== undefined) return 'session';
  const part = objectIn(record.part);
  if (part !== undefined) return `part/${textIn(part.type) ?? ''}`;
  if (record.ended !== undefined) return 'message/end';
  if (record.undone !== undefined) return 'undone';
  return `message/${textIn(objectIn(record.info)?.role) ?? ''}`;
}
