// Kiro CLI: JSONL files under ~/.kiro/sessions/cli, appended, one for each session.
import type { Agent, HeadDraft, JsonObject, SessionBeginning } from '../agent.ts';
import { objectIn, objectsIn, saysSomething, textIn } from '../members.ts';
import { discover, places } from './places.ts';
import { timeOf, translate } from './read.ts';
import { initialState, type KiroState } from './state.ts';

const MESSAGE = ['version', 'kind', 'data.message_id', 'data.content'];

export const kiro: Agent<KiroState> = {
  name: 'kiro',
  title: 'Kiro CLI',
  version: 1,
  places,
  discover,
  stored: () => ({ kind: 'lines' }),
  initial: initialState,
  translate,
  begin,
  typeOf: ({ kind }) => textIn(kind) ?? '',
  said: {
    Prompt: [...MESSAGE, 'data.meta.timestamp'],
    AssistantMessage: MESSAGE,
    ToolResults: MESSAGE,
  },
  leftOut: {
    'the program keeps it for its screen, and the result that the model got is said': ['ToolResults data.results'],
  },
  headFromStart,
  headFromEnd,
};

function begin(_record: JsonObject, { cwd }: KiroState): SessionBeginning {
  return { cwd: cwd || undefined };
}

function headFromStart(record: JsonObject, head: HeadDraft): boolean {
  if (record.kind !== 'Prompt') return head.firstPrompt !== undefined;
  head.startedAt ??= timeOf(record);
  const texts = objectsIn(objectIn(record.data)?.content).map(({ kind, data }) =>
    kind === 'text' ? textIn(data) : '',
  );
  const prompt = texts.filter(saysSomething).join('\n');
  if (prompt !== '') head.firstPrompt ??= prompt;
  return head.firstPrompt !== undefined;
}

function headFromEnd(record: JsonObject, head: HeadDraft): boolean {
  head.lastActivity ??= timeOf(record);
  return head.lastActivity !== undefined;
}
