// What a record of Claude Code says in events. The program writes one line for each block of an answer, with the usage
// repeated, and results of parallel calls between them: each line gives its events immediately, with the id of the
// answer, and the folds join them. docs/agents.md lists what stays in the source.
import type { JsonObject, RecordFacts } from '../agent.ts';
import { ELSEWHERE } from '../inside.ts';
import { countIn, defined, nonEmpty, textIn } from '../members.ts';
import { endTurn } from '../turns.ts';
import { readAssistant } from './answer.ts';
import { readAttachment } from './attachment.ts';
import { readBoundary } from './compaction.ts';
import { isOfInside, seeAside } from './inside.ts';
import { plainTypeOf } from './said.ts';
import { type ClaudeGiven, type ClaudeState, rememberRecord } from './state.ts';
import { readSummary, readTitle } from './title.ts';
import { endIfAnswered, headBefore } from './turns.ts';
import { readCost } from './usage.ts';
import { readUser } from './user.ts';

export function translate(record: JsonObject, given: ClaudeGiven): RecordFacts {
  const { state, seq } = given;
  const uuid = nonEmpty(record.uuid);
  if (isOfConversation(record, state)) {
    read(record, given);
    if (uuid !== undefined) {
      rememberRecord(state, uuid, given.events.length > 0 ? given.seq - 1 : headBefore(record, given), seq);
    }
    if (typeof record.parentUuid === 'string') state.isChained = true;
  } else if (state.inside === '') {
    seeAside(record, state);
  } else {
    return { type: ELSEWHERE };
  }
  const said = { record: uuid, at: textIn(record.timestamp) };
  return state.inside === '' ? said : { ...said, type: plainTypeOf(record) };
}

/** A file that begins with a record aside is that of a subagent, also where it was renamed. */
function isOfConversation(record: JsonObject, state: ClaudeState): boolean {
  const { isSidechain } = record;
  if (state.inside !== '') return isOfInside(record, state);
  if (typeof isSidechain === 'boolean') state.isSubagent ??= isSidechain;
  return isSidechain !== true || state.isSubagent === true;
}

function read(record: JsonObject, given: ClaudeGiven): void {
  switch (record.type) {
    case 'user':
      readUser(record, given);
      break;
    case 'assistant':
      readAssistant(record, given);
      break;
    case 'system':
      if (record.subtype === 'compact_boundary') readBoundary(record, given);
      if (record.subtype === 'turn_duration') readDuration(record, given);
      break;
    case 'attachment':
      readAttachment(record, given);
      break;
    case 'custom-title':
      readTitle(record.customTitle, 'user', given);
      break;
    case 'ai-title':
      readTitle(record.aiTitle, 'derived', given);
      break;
    case 'summary':
      readSummary(record, given);
      break;
    case 'cost-state':
      endIfAnswered(given);
      readCost(record, given);
      break;
    case 'last-prompt':
      endIfAnswered(given);
      break;
  }
}

function readDuration(record: JsonObject, given: ClaudeGiven): void {
  const durationMs = countIn(record.durationMs);
  endTurn(given, given.state.isAnswered ? 'completed' : 'interrupted', defined({ durationMs }));
}
