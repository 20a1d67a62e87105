// Trajectories of the Agent Trajectory Interchange Format: one JSON document each. Devin CLI keeps its sessions so;
// other files were sent.
import { join } from 'node:path';
import { xdgDirectory } from '../../platform/xdg.ts';
import type { Agent, HeadDraft, JsonObject } from '../agent.ts';
import { sessionFilesIn } from '../finding.ts';
import { joinedTexts, nonEmpty, objectIn, objectsIn, textIn } from '../members.ts';
import { newSession, type SessionMemory } from '../session-state.ts';
import { isHeader, translate } from './read.ts';

const HEADER = ['schema_version', 'session_id', 'trajectory_id', 'agent', 'notes', 'final_metrics', 'extra'];
const STEP = ['step_id', 'timestamp', 'source', 'message', 'extra'];
const DEVIN = 'devin';
const TRANSCRIPT = /^([A-Za-z0-9][A-Za-z0-9._-]{0,119})\.json$/;

type Trajectories = Pick<Agent<SessionMemory>, 'name' | 'title' | 'places' | 'discover'>;

/** `isOf`: whether a trajectory of the program of this name is read here, so that a file has one reader. */
function trajectoriesOf(program: Trajectories, isOf: (name: string) => boolean): Agent<SessionMemory> {
  return {
    ...program,
    version: 1,
    stored: () => ({ kind: 'document', header: HEADER, list: 'steps' }),
    initial: newSession,
    translate,
    typeOf(record) {
      if (!isHeader(record)) return textIn(record.source) ?? '';
      return isOf(textIn(objectIn(record.agent)?.name) ?? '') ? 'trajectory' : 'trajectory of another program';
    },
    said: {
      trajectory: ['schema_version', 'session_id', 'agent.model_name', 'extra.title', 'extra.cwd'],
      user: STEP,
      system: [...STEP, 'observation.results'],
      agent: [
        ...[...STEP, 'model_name', 'reasoning_content', 'tool_calls', 'observation.results'],
        ...['metrics.prompt_tokens', 'metrics.completion_tokens', 'metrics.cached_tokens', 'metrics.cost_usd'],
      ],
    },
    leftOut: {
      'it is about the trajectory as a whole': ['trajectory *'],
      'it is how the answer was asked for': ['agent reasoning_effort', 'agent llm_call_count'],
      'it is for training': ['agent metrics.*'],
      'it says that the step is a copy of an earlier one, and the step is said': ['* is_copied_context'],
    },
    headFromStart,
    headFromEnd,
  };
}

/** A trajectory that was sent: no program keeps it in a place of its own. */
export const atif = trajectoriesOf(
  { name: 'atif', title: 'ATIF', places: () => [], discover: () => [] },
  (name) => name !== DEVIN,
);

export const devin = trajectoriesOf(
  {
    name: DEVIN,
    title: 'Devin CLI',
    places: (surroundings) => [join(xdgDirectory('data', surroundings), 'devin', 'cli', 'transcripts')],
    discover: (place, looking) => sessionFilesIn(place, TRANSCRIPT, looking),
  },
  (name) => name === DEVIN,
);

function headFromStart(record: JsonObject, head: HeadDraft): boolean {
  if (isHeader(record)) {
    const { title, cwd } = objectIn(record.extra) ?? {};
    head.title ??= nonEmpty(title);
    head.cwd ??= nonEmpty(cwd);
    head.model ??= nonEmpty(objectIn(record.agent)?.model_name);
  }
  head.startedAt ??= nonEmpty(record.timestamp);
  if (record.source === 'user') {
    const { message } = record;
    const texts = typeof message === 'string' ? [message] : objectsIn(message).map(({ text }) => textIn(text));
    head.firstPrompt ??= joinedTexts(texts);
  }
  return head.firstPrompt !== undefined;
}

function headFromEnd(record: JsonObject, head: HeadDraft): boolean {
  head.lastActivity ??= nonEmpty(record.timestamp);
  return head.lastActivity !== undefined;
}
