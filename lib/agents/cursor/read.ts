// What a record of Cursor says in events: those of its command line, of its transcripts and of its editor. Most of them
// have no time of their own. docs/agents.md lists what stays in the source, and what rests on reports.
import type { JsonObject, RecordFacts } from '../agent.ts';
import { imageOf, imageOfUrl } from '../attachments.ts';
import { Content } from '../content.ts';
import { blocksIn, nonEmpty, objectIn, saysSomething, shortText, textIn } from '../members.ts';
import { addAnswer, addCall, addInjected, addPrompt, addResult } from '../said.ts';
import { readBubble } from './bubble.ts';
import { divide, workspaceIn } from './injected.ts';
import { isOfUser, roleOf } from './shape.ts';
import { type CursorGiven, PROVIDER } from './state.ts';
import { readEnd, readModel } from './turns.ts';

export function translate(record: JsonObject, given: CursorGiven): RecordFacts {
  const session = objectIn(record.session);
  const bubble = objectIn(record.bubble);
  const id = nonEmpty(record.blob);
  if (session !== undefined) readSession(session, given);
  else if (bubble !== undefined) readBubble(bubble, isOfUser(record), given);
  else if (record.type === 'turn_ended') readEnd(record, given);
  else readMessage(roleOf(record), objectIn(record.message)?.content, shortText(id), given);
  const at = textIn(bubble?.createdAt);
  return {
    record: nonEmpty(bubble?.bubbleId) ?? nonEmpty(bubble?.id) ?? id,
    at,
  };
}

function readSession({ name, model }: JsonObject, given: CursorGiven): void {
  given.state.title = shortText(name) ?? '';
  readModel(model, given);
}

function readMessage(role: string, list: unknown, message: string | undefined, given: CursorGiven): void {
  const { state } = given;
  const blocks = blocksIn(list);
  if (role === 'user') readUser(blocks, message, given);
  else if (role === 'tool') for (const block of blocks) readResult(block, given);
  else if (role === 'assistant') {
    state.steps += 1;
    const content = new Content();
    for (const block of blocks) if (!isCall(block)) addBlock(block, content, given);
    addAnswer({ content, message }, given);
    for (const block of blocks) if (isCall(block)) readCall(block, message, given);
    state.isAnswered = content.parts.some(({ type }) => type === 'text') && !blocks.some(isCall);
  }
}

/** Several texts may be wrapped together, in any order. */
function readUser(blocks: readonly JsonObject[], message: string | undefined, given: CursorGiven): void {
  const { state } = given;
  const content = new Content();
  const injected: string[] = [];
  for (const block of blocks) {
    const text = block.type === 'text' ? textIn(block.text) : undefined;
    if (text === undefined) {
      addBlock(block, content, given);
      continue;
    }
    if (state.cwd === '') state.cwd = workspaceIn(text) ?? '';
    const divided = divide(text);
    if (divided.injected !== undefined) injected.push(divided.injected);
    content.addText(divided.typed);
  }
  if (injected.length > 0) addInjected(injected, given);
  addPrompt(content, given, message);
}

function addBlock(block: JsonObject, content: Content, given: CursorGiven): void {
  const text = textIn(block.text);
  if (block.type === 'text') content.addText(text);
  else if (block.type === 'reasoning' || block.type === 'redacted-reasoning') {
    const opaque = nonEmpty(block.signature) ?? nonEmpty(block.data);
    content.addReasoning(PROVIDER, saysSomething(text) ? text : undefined, opaque);
  } else if (block.type !== 'image' || !content.addImage(imageIn(block))) {
    given.left.push(`message.content[${textIn(block.type) ?? ''}]`);
  }
}

function imageIn({ image, data, mimeType, mediaType }: JsonObject) {
  return imageOfUrl(image) ?? imageOf(mimeType ?? mediaType, image ?? data);
}

function isCall({ type }: JsonObject): boolean {
  return type === 'tool-call' || type === 'tool_use';
}

/** A transcript gives its calls no id, and no result. */
function readCall(block: JsonObject, message: string | undefined, given: CursorGiven): void {
  const { state } = given;
  const name = nonEmpty(block.toolName) ?? nonEmpty(block.name);
  if (name !== undefined) state.calls += 1;
  const callId = nonEmpty(block.toolCallId) ?? nonEmpty(block.id) ?? `call-${state.calls}`;
  const args = block.args ?? block.input;
  if (!addCall({ callId, name, args, message }, given)) given.left.push('message.content[tool-call]');
}

function readResult(block: JsonObject, given: CursorGiven): void {
  const callId = nonEmpty(block.toolCallId);
  if (block.type !== 'tool-result' || callId === undefined) {
    given.left.push(`message.content[${textIn(block.type) ?? ''}]`);
    return;
  }
  const result = block.result ?? block.output;
  const text = typeof result === 'string' ? result : result === undefined ? '' : JSON.stringify(result);
  given.state.isAnswered = false;
  addResult({ callId, status: block.isError === true ? 'error' : 'ok', text }, given);
}
