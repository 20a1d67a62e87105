// Where a prompt of Claude Code continues from, and where a rewind leads.
import type { JsonObject } from '../agent.ts';
import { nonEmpty } from '../members.ts';
import { beginTurn, endTurn, leaveTurn } from '../turns.ts';
import { type ClaudeGiven, headOf, rememberPrompt } from './state.ts';

/** A prompt that continues from before the last one takes back everything in between. */
export function beginPrompt(record: JsonObject, input: string, given: ClaudeGiven): void {
  const { state } = given;
  const head = headBefore(record, given);
  leaveTurn(given);
  if (head < state.promptSeq) given.add({ type: 'branch.moved', data: { head, reason: 'branch' } });
  rememberPrompt(state, nonEmpty(record.parentUuid) ?? '', head);
  state.promptSeq = given.seq;
  beginTurn(input, given);
}

export function endIfAnswered(given: ClaudeGiven): void {
  if (given.state.isAnswered) endTurn(given, 'completed');
}

/** The event that the record continues from: the last one that the record before it gave. */
export function headBefore({ parentUuid, logicalParentUuid }: JsonObject, { state, seq }: ClaudeGiven): number {
  const parent = nonEmpty(parentUuid) ?? nonEmpty(logicalParentUuid);
  if (parent !== undefined) return headOf(state, parent) ?? seq - 1;
  // In a file whose records follow each other, one that follows nothing begins the conversation again.
  return parentUuid === null && state.isChained ? 0 : seq - 1;
}
