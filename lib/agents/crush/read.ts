// The events of a message of Crush, and the head of a session from its first and last ones.
import { changeModel, changeTitle } from '../about.ts';
import type { HeadDraft, JsonObject, RecordFacts } from '../agent.ts';
import { imageOf, imageOfUrl } from '../attachments.ts';
import { addCompaction } from '../compaction.ts';
import { Content } from '../content.ts';
import { nonEmpty, objectIn, objectsIn, saysSomething, shortText, textIn } from '../members.ts';
import { addInjected, addPrompt, addResult, addStep } from '../said.ts';
import type { SessionGiven } from '../session-state.ts';
import { millisecondsIn, timeOf } from '../times.ts';
import { endTurn, failTurn } from '../turns.ts';

const DENIED = /^(?:User denied permission|Permission denied)/i;
const CANCELLED = /^Tool execution cancell?ed/;

export function translate(record: JsonObject, given: SessionGiven): RecordFacts {
  const session = objectIn(record.session);
  if (session !== undefined) changeTitle(session.title, 'derived', given);
  else if (record.role === 'user') readPrompt(record, given);
  else if (record.role === 'assistant') readAnswer(record, given);
  else if (record.role === 'tool') readResults(record, given);
  return {
    record: shortText(record.id),
    at: millisecondsIn(record.created_at),
  };
}

function readPrompt(message: JsonObject, given: SessionGiven): void {
  const typed = new Content();
  const hidden: string[] = [];
  for (const { type, data } of partsIn(message)) {
    if (type === 'text' && data.hidden === true) hidden.push(textIn(data.text) ?? '');
    else if (type === 'text') typed.addText(textIn(data.text));
    else if (type === 'shell_command') typed.addText(commandOf(data));
    else if (type === 'binary') readFile(data, typed, given);
    else if (type === 'image_url' && typed.addImage(imageOfUrl(data.url))) continue;
    else if (type !== 'finish') given.left.push(`parts[${type}]`);
  }
  addPrompt(typed, given);
  addInjected(hidden, given);
}

/** A text file is sent as text. */
function readFile({ Path: path, MIMEType: type, Data: data }: JsonObject, content: Content, given: SessionGiven): void {
  const media = textIn(type) ?? '';
  if (content.addImage(imageOf(media, data))) return;
  const text = media.startsWith('text/') ? Buffer.from(textIn(data) ?? '', 'base64').toString() : undefined;
  if (text === undefined) given.left.push('parts[binary]');
  else content.addText(`${textIn(path) ?? ''}\n${text}`);
}

/** A command that the user ran, as the model is sent it. */
function commandOf({ command, output, exit_code }: JsonObject): string {
  return `$ ${textIn(command) ?? ''}\n${textIn(output) ?? ''}\n(exit code ${String(exit_code)})`;
}

function readAnswer(record: JsonObject, given: SessionGiven): void {
  changeModel(record.provider, record.model, given);
  const content = new Content();
  const parts = partsIn(record);
  const asked = parts.filter(({ type }) => type === 'tool_call');
  const calls = asked.map(({ data: { id, name, input } }) => ({ callId: id, name, args: input }));
  for (const { type, data } of parts) {
    if (type === 'text') content.addText(textIn(data.text));
    else if (type === 'reasoning') readThinking(data, content, given);
    else if (type !== 'tool_call' && type !== 'finish') given.left.push(`parts[${type}]`);
  }
  if (record.isSummary === true) {
    addCompaction({ summary: content.text }, given);
    return;
  }
  addStep({ content, calls, message: shortText(record.id), left: 'parts[tool_call]' }, given);
  const finish = parts.find(({ type }) => type === 'finish');
  if (finish !== undefined) finishAnswer(finish.data, given);
}

function readThinking(
  { thinking, signature, thought_signature, responses_data }: JsonObject,
  content: Content,
  given: SessionGiven,
): void {
  const opaque = nonEmpty(signature) ?? nonEmpty(thought_signature);
  content.addReasoning(given.state.provider, nonEmpty(thinking), opaque);
  if (objectIn(responses_data) !== undefined) given.left.push('parts[reasoning].data.responses_data');
}

function finishAnswer({ reason, message, details }: JsonObject, given: SessionGiven): void {
  if (reason === 'end_turn') endTurn(given, 'completed');
  else if (reason === 'max_tokens') endTurn(given, 'completed', { incomplete: 'length' });
  else if (reason === 'content_filter') endTurn(given, 'completed', { incomplete: 'content-filter' });
  else if (reason === 'canceled') endTurn(given, 'cancelled');
  else if (reason === 'error') failTurn([message, details].filter((text) => nonEmpty(text)).join(': '), given);
}

function readResults(record: JsonObject, given: SessionGiven): void {
  for (const { type, data } of partsIn(record)) {
    const callId = nonEmpty(data.tool_call_id);
    if (type === 'finish') continue;
    if (type !== 'tool_result' || callId === undefined) {
      given.left.push(`parts[${type}]`);
      continue;
    }
    const text = textIn(data.content) ?? '';
    const content = new Content();
    if (nonEmpty(data.data) !== undefined && !content.addImage(imageOf(data.mime_type, data.data))) {
      given.left.push('parts[tool_result].data.data');
    }
    if (nonEmpty(data.metadata) !== undefined) given.left.push('parts[tool_result].data.metadata');
    addResult({ callId, status: statusOf(text, data.is_error === true), text, content }, given);
  }
}

function statusOf(text: string, isError: boolean): 'ok' | 'error' | 'denied' | 'cancelled' {
  if (!isError) return 'ok';
  if (DENIED.test(text)) return 'denied';
  return CANCELLED.test(text) ? 'cancelled' : 'error';
}

interface Part {
  readonly type: string;
  readonly data: JsonObject;
}

function partsIn({ parts }: JsonObject): readonly Part[] {
  return objectsIn(parts).map(({ type, data }) => ({ type: textIn(type) ?? '', data: objectIn(data) ?? {} }));
}

export function headFromStart(record: JsonObject, head: HeadDraft): boolean {
  const session = objectIn(record.session);
  if (session !== undefined) {
    head.title ??= nonEmpty(session.title);
    return false;
  }
  head.startedAt ??= timeOf(millisecondsIn(record.created_at));
  if (record.role !== 'user') return false;
  const texts = partsIn(record).flatMap(({ type, data }) => (type === 'text' ? [textIn(data.text) ?? ''] : []));
  head.firstPrompt ??= texts.find(saysSomething);
  return head.firstPrompt !== undefined;
}

export function headFromEnd(record: JsonObject, head: HeadDraft): boolean {
  head.lastActivity ??= timeOf(millisecondsIn(record.created_at));
  head.model ??= nonEmpty(record.model);
  return head.lastActivity !== undefined && head.model !== undefined;
}
