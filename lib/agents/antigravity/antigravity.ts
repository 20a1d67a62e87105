// Antigravity, in its editor and on the command line: a folder for each conversation, and in it a transcript of lines,
// one for each step, appended.
import type { Agent, HeadDraft, JsonObject } from '../agent.ts';
import { nonEmpty, textIn } from '../members.ts';
import { timeOf } from '../times.ts';
import { discover, places } from './places.ts';
import { isResult, modelIn, promptIn, translate } from './read.ts';
import { type AntigravityState, initialState } from './state.ts';

const STEP = ['step_index', 'source', 'type', 'status', 'created_at', 'content'];

export const antigravity: Agent<AntigravityState> = {
  name: 'antigravity',
  title: 'Antigravity',
  version: 1,
  places,
  discover,
  stored: () => ({ kind: 'lines' }),
  initial: initialState,
  translate,
  typeOf: (record) => (isResult(record) ? 'result' : (textIn(record.type) ?? '')),
  said: {
    USER_INPUT: STEP,
    PLANNER_RESPONSE: [...STEP, 'thinking', 'tool_calls'],
    SYSTEM_MESSAGE: STEP,
    result: STEP,
  },
  leftOut: {
    'the program reminds the model of its surroundings': ['EPHEMERAL_MESSAGE'],
    'it sums up steps that are said': ['CHECKPOINT', 'CONVERSATION_HISTORY'],
    'the program cut a text, and the rest is not in the file': ['* truncated_fields'],
  },
  headFromStart,
  headFromEnd,
};

function headFromStart(record: JsonObject, head: HeadDraft): boolean {
  head.startedAt ??= timeOf(nonEmpty(record.created_at));
  if (record.type === 'USER_INPUT') head.firstPrompt ??= promptIn(record.content).prompt || undefined;
  return head.firstPrompt !== undefined;
}

function headFromEnd(record: JsonObject, head: HeadDraft): boolean {
  head.lastActivity ??= timeOf(nonEmpty(record.created_at));
  if (record.type === 'USER_INPUT') head.model ??= modelIn(record.content);
  return head.lastActivity !== undefined && head.model !== undefined;
}
