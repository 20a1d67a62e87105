// What a record of Cursor says in events: those of its command line, of its transcripts and of its editor. Most of them
// have no time of their own. docs/agents.md lists what stays in the source, and what rests on reports.
import type { Part } from '../../messages/index.ts';
import type { Attachment, JsonObject, Translation } from '../agent.ts';
import { imageOf, imageOfUrl } from '../attachments.ts';
import { Given } from '../given.ts';
import { argumentsIn, nonEmpty, objectIn, objectsIn, saysSomething, textIn } from '../members.ts';
import { readBubble } from './bubble.ts';
import { divide, workspaceIn } from './injected.ts';
import { isOfUser, roleOf } from './shape.ts';
import { type CursorGiven, type CursorState, PROVIDER, shortText } from './state.ts';
import { addAnswer, addPrompt, addUserMessage, changeModel, readEnd } from './turns.ts';

export function translate(record: JsonObject, state: CursorState, { seq }: { readonly seq: number }): Translation {
  const given: CursorGiven = new Given(state, seq);
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
    events: given.events,
    left: given.left,
  };
}

function readSession({ name, model }: JsonObject, given: CursorGiven): void {
  given.state.title = shortText(name) ?? '';
  changeModel(model, given);
}

interface Content {
  readonly parts: Part[];
  readonly attachments: Attachment[];
}

function readMessage(role: string, content: unknown, message: string | undefined, given: CursorGiven): void {
  const { state } = given;
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : objectsIn(content);
  if (role === 'user') readUser(blocks, message, given);
  else if (role === 'tool') for (const block of blocks) readResult(block, given);
  else if (role === 'assistant') {
    state.steps += 1;
    const said: Content = { parts: [], attachments: [] };
    for (const block of blocks) if (!isCall(block)) addBlock(block, said, given);
    addAnswer(said.parts, { message, attachments: said.attachments }, given);
    for (const block of blocks) if (isCall(block)) readCall(block, message, given);
    state.isAnswered = said.parts.some(({ type }) => type === 'text') && !blocks.some(isCall);
  }
}

/** Several texts may be wrapped together, in any order. */
function readUser(blocks: readonly JsonObject[], message: string | undefined, given: CursorGiven): void {
  const { state } = given;
  const typed: Content = { parts: [], attachments: [] };
  const injected: Part[] = [];
  for (const block of blocks) {
    const text = block.type === 'text' ? textIn(block.text) : undefined;
    if (text === undefined) {
      addBlock(block, typed, given);
      continue;
    }
    if (state.cwd === '') state.cwd = workspaceIn(text) ?? '';
    const divided = divide(text);
    if (divided.injected !== undefined) injected.push({ type: 'text', text: divided.injected });
    if (divided.typed !== undefined) typed.parts.push({ type: 'text', text: divided.typed });
  }
  if (injected.length > 0) addUserMessage(injected, { isSynthetic: true }, given);
  if (typed.parts.length === 0) return;
  const input = typed.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  addPrompt(input, typed.parts, { message, attachments: typed.attachments }, given);
}

function addBlock(block: JsonObject, { parts, attachments }: Content, given: CursorGiven): void {
  const text = textIn(block.text);
  if (block.type === 'text') {
    if (saysSomething(text)) parts.push({ type: 'text', text });
  } else if (block.type === 'reasoning' || block.type === 'redacted-reasoning') {
    const opaque = nonEmpty(block.signature) ?? nonEmpty(block.data);
    if (!saysSomething(text) && opaque === undefined) return;
    const shown = saysSomething(text) ? { text } : {};
    parts.push({ type: 'reasoning', ...shown, ...(opaque === undefined ? {} : { opaque }), provider: PROVIDER });
  } else {
    const image = block.type === 'image' ? imageIn(block) : undefined;
    if (image === undefined) given.left.push(`message.content[${textIn(block.type) ?? ''}]`);
    else {
      parts.push(image.part);
      attachments.push(image.attachment);
    }
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
  if (name === undefined) {
    given.left.push('message.content[tool-call]');
    return;
  }
  state.calls += 1;
  const callId = nonEmpty(block.toolCallId) ?? nonEmpty(block.id) ?? `call-${state.calls}`;
  const args = argumentsIn(block.args ?? block.input);
  given.add({
    type: 'tool.requested',
    data: { callId, name, args, ...(message === undefined ? {} : { message }) },
  });
}

function readResult(block: JsonObject, given: CursorGiven): void {
  const callId = nonEmpty(block.toolCallId);
  if (block.type !== 'tool-result' || callId === undefined) {
    given.left.push(`message.content[${textIn(block.type) ?? ''}]`);
    return;
  }
  const result = block.result ?? block.output;
  const llmContent = typeof result === 'string' ? result : result === undefined ? '' : JSON.stringify(result);
  given.state.isAnswered = false;
  given.add({
    type: 'tool.finished',
    data: { callId, status: block.isError === true ? 'error' : 'ok', result: { llmContent }, trusted: false },
  });
}
