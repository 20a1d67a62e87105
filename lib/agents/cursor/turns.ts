// How turns of a Cursor session begin and end. Only transcripts say when one ended: elsewhere it ends with the next
// prompt.
import { changeModel } from '../about.ts';
import type { JsonObject } from '../agent.ts';
import { nonEmpty, objectIn, textIn } from '../members.ts';
import { endTurn, failTurn } from '../turns.ts';
import { type CursorGiven, PROVIDER } from './state.ts';

/** The line of a transcript that says so. */
export function readEnd({ status, error }: JsonObject, given: CursorGiven): void {
  const message = textIn(error) ?? textIn(objectIn(error)?.message);
  if (nonEmpty(message) !== undefined || status === 'error' || status === 'failed') failTurn(message ?? '', given);
  else endTurn(given, status === 'aborted' || status === 'cancelled' ? 'cancelled' : 'completed');
}

/** `default` is a rule to choose one by. */
export function readModel(name: unknown, given: CursorGiven): void {
  if (name !== 'default') changeModel(PROVIDER, name, given);
}
