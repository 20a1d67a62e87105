// An answer of the model: its texts with the calls that are in them, its thinking, and calls of the provider's own.
import type { JsonObject } from '../agent.ts';
import { Content } from '../content.ts';
import { blocksIn, nonEmpty, textIn } from '../members.ts';
import { addStep, type CallOfModel } from '../said.ts';
import { endTurn, failTurn } from '../turns.ts';

import { piecesOf } from './calls.ts';
import { awaitResult, type ClineGiven } from './state.ts';

/** The program adds it to an answer that broke off. */
const BROKEN_OFF = /\s*\[(Response interrupted by (?:user|API Error))\]\s*$/;
/** With one of these, the model says that it is done, or waits for the user. */
const LAST = new Set(['attempt_completion', 'plan_mode_respond', 'plan_mode_response', 'ask_followup_question']);

export function readAnswer(
  list: unknown,
  { message, given }: { readonly message: string | undefined; readonly given: ClineGiven },
): void {
  const { state } = given;
  const content = new Content();
  const calls: CallOfModel[] = [];
  let brokenOff: string | undefined;
  for (const block of blocksIn(list)) {
    if (block.type === 'text') {
      const text = textIn(block.text) ?? '';
      brokenOff ??= BROKEN_OFF.exec(text)?.[1];
      readText(text.replace(BROKEN_OFF, ''), { content, calls, message });
    } else if (block.type === 'tool_use') {
      calls.push({ callId: block.id, name: block.name, args: block.input });
    } else if (!readThinking(block, { content, provider: state.provider })) {
      given.left.push(`content[${textIn(block.type) ?? ''}]`);
    }
  }
  addStep({ content, calls, message, left: 'content[tool_use]' }, given);
  // Without a call, Cline 3 is done. The others ask the model for one.
  state.isAnswered ||= calls.some(({ name }) => LAST.has(String(name)));
  state.waiting = [];
  for (const { callId, name } of calls) {
    if (nonEmpty(callId) !== undefined && nonEmpty(name) !== undefined)
      awaitResult(String(callId), String(name), state);
  }
  if (brokenOff?.endsWith('user')) endTurn(given, 'cancelled');
  else if (brokenOff !== undefined) failTurn(brokenOff, given);
}

/** A call in a text has no id: it gets one from its place. */
function readText(
  text: string,
  {
    content,
    calls,
    message,
  }: { readonly content: Content; readonly calls: CallOfModel[]; readonly message: string | undefined },
): void {
  for (const piece of piecesOf(text)) {
    if (piece.kind === 'text') content.addText(piece.text.trim());
    else calls.push({ callId: `${message ?? ''}.${calls.length + 1}`, name: piece.name, args: piece.args });
  }
}

function readThinking(
  { type, thinking, signature, data, text, encrypted_content }: JsonObject,
  { content, provider }: { readonly content: Content; readonly provider: string },
): boolean {
  if (type === 'thinking') content.addReasoning(provider, nonEmpty(thinking), nonEmpty(signature));
  else if (type === 'redacted_thinking') content.addReasoning(provider, undefined, nonEmpty(data));
  else if (type === 'reasoning') content.addReasoning(provider, nonEmpty(text), nonEmpty(encrypted_content));
  else return false;
  return true;
}
