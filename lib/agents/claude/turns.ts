// The turns of a session of Claude Code: from a prompt to what ends it, and where a rewind leads.
import type { EventData } from '../../events/index.ts';
import type { JsonObject } from '../agent.ts';
import { nonEmpty } from '../members.ts';
import { type ClaudeGiven, headOf, rememberPrompt } from './state.ts';

/** A prompt that continues from before the last one takes back what came between. */
export function beginTurn(record: JsonObject, input: string, given: ClaudeGiven): void {
  const { state } = given;
  const head = headBefore(record, given);
  if (state.isTurnOpen) endTurn(given, state.isAnswered ? 'completed' : 'interrupted');
  if (head < state.promptSeq) given.add({ type: 'branch.moved', data: { head, reason: 'branch' } });
  rememberPrompt(state, nonEmpty(record.parentUuid) ?? '', head);
  state.promptSeq = given.seq;
  state.turn += 1;
  state.isTurnOpen = true;
  state.isAnswered = false;
  state.steps = 0;
  given.add({ type: 'turn.started', data: { input } });
}

export function endTurn(
  given: ClaudeGiven,
  status: EventData<'turn.ended'>['status'],
  more: Pick<EventData<'turn.ended'>, 'durationMs' | 'error'> = {},
): void {
  const { state } = given;
  if (!state.isTurnOpen) return;
  state.isTurnOpen = false;
  given.add({ type: 'turn.ended', data: { status, steps: state.steps, ...more } });
}

export function endIfAnswered(given: ClaudeGiven): void {
  if (given.state.isAnswered) endTurn(given, 'completed');
}

/** What the record continues from: the event that the conversation had come to with the one before it. */
export function headBefore({ parentUuid, logicalParentUuid }: JsonObject, { state, seq }: ClaudeGiven): number {
  const parent = nonEmpty(parentUuid) ?? nonEmpty(logicalParentUuid);
  if (parent !== undefined) return headOf(state, parent) ?? seq - 1;
  // In a file whose records follow each other, one that follows nothing begins the conversation again.
  return parentUuid === null && state.isChained ? 0 : seq - 1;
}
