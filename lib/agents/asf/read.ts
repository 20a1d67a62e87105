// The events of an entry of the Agent Session Format (RFC 0001 of agentsession, 0.1 and 0.2): items of Open Responses,
// and what happened around them. The file is a tree: an entry names the one that it follows.
import type { EventData } from '../../events/index.ts';
import { changeModel, changeTitle } from '../about.ts';
import type { JsonObject, RecordFacts } from '../agent.ts';
import { imageOfUrl } from '../attachments.ts';
import { addCompactionBefore } from '../compaction.ts';
import { Content } from '../content.ts';
import { absolutePathIn, argumentsIn, countIn, nonEmpty, objectIn, objectsIn, shortText, textIn } from '../members.ts';
import { firstSeqOf, readInTree } from '../record-tree.ts';
import { addAnswer, addCall, addInjected, addResult, addUserMessage } from '../said.ts';
import { beginTurn, endTurn, failTurn } from '../turns.ts';
import { addUsage } from '../usage.ts';
import type { AsfGiven, AsfState } from './state.ts';

export function translate(record: JsonObject, given: AsfGiven): RecordFacts {
  if (record.type === 'session') {
    readHeader(record, given.state);
    return { record: nonEmpty(record.id), at: textIn(record.created_at) };
  }
  const id = nonEmpty(record.id);
  const place = { id, parent: nonEmpty(record.parent), isMove: true };
  readInTree(given.state.entries, place, given, () => read(record, given));
  return { record: id, at: textIn(record.ts) };
}

function readHeader({ cwd, parent_session }: JsonObject, state: AsfState): void {
  state.forkedFrom = shortText(parent_session) ?? '';
  state.cwd = absolutePathIn(cwd) ?? '';
}

function read(record: JsonObject, given: AsfGiven): void {
  const { state } = given;
  switch (record.type) {
    case 'config':
      changeModel(objectIn(record.extra)?.provider ?? state.provider, record.model, given);
      addSystem(contentOf(record.instructions, given), given);
      break;
    case 'env':
      state.cwd = absolutePathIn(record.cwd) ?? state.cwd;
      state.commit = shortText(objectIn(record.vcs)?.revision) ?? state.commit;
      break;
    case 'run':
      if (record.phase === 'end') readEnd(record, given);
      break;
    case 'item':
      readItem(objectIn(record.item) ?? {}, record, given);
      break;
    case 'response':
      readResponse(record, given);
      break;
    case 'decision':
      readDecision(record, given);
      break;
    case 'dispatch':
      readDispatch(record, given);
      break;
    case 'compaction':
      readCompaction(record, given);
      break;
    case 'branch_summary':
      addInjected(contentOf(objectIn(record.summary)?.content, given).text, given);
      break;
    case 'info':
      changeTitle(record.name, 'user', given);
      break;
  }
}

function readItem(item: JsonObject, record: JsonObject, given: AsfGiven): void {
  const message = shortText(record.response);
  switch (item.type) {
    case 'message':
      readMessage(item, { message, isHidden: record.visible === false }, given);
      break;
    case 'reasoning': {
      const content = new Content();
      const texts = [...objectsIn(item.content), ...objectsIn(item.summary)].map(({ text }) => textIn(text));
      const text = texts.filter((one) => one !== undefined).join('\n\n');
      content.addReasoning(given.state.provider, text || undefined, nonEmpty(item.encrypted_content));
      answer(content, { message, finish: undefined }, given);
      break;
    }
    case 'function_call': {
      const { call_id: callId, name, arguments: args } = item;
      if (!addCall({ callId, name, args: argumentsIn(args), message }, given)) given.left.push('item[function_call]');
      break;
    }
    case 'function_call_output':
      readOutput(item, given);
      break;
    default:
      given.left.push(`item[${textIn(item.type) ?? ''}]`);
  }
}

interface Answered {
  readonly message: string | undefined;
  readonly finish: EventData<'message.added'>['finish'];
}

function answer(content: Content, { message, finish }: Answered, given: AsfGiven): void {
  given.state.steps += 1;
  addAnswer({ content, finish, message }, given);
}

function readMessage(
  { role, content: list, status }: JsonObject,
  { message, isHidden }: { readonly message: string | undefined; readonly isHidden: boolean },
  given: AsfGiven,
): void {
  const content = contentOf(list, given);
  if (content.parts.length === 0) return;
  if (role === 'assistant') {
    answer(content, { message, finish: status === 'incomplete' ? 'cancelled' : 'stop' }, given);
  } else if (role === 'user') {
    if (!isHidden) beginPrompt(content.text, given);
    addUserMessage({ content, isSynthetic: isHidden }, given);
  } else {
    addSystem(content, given);
  }
}

function addSystem({ parts }: Content, given: AsfGiven): void {
  if (parts.length > 0) given.add({ type: 'message.added', data: { role: 'system', parts, trusted: false } });
}

/** A prompt during a run belongs to its turn. */
function beginPrompt(text: string, given: AsfGiven): void {
  if (given.state.steps === 0) endTurn(given, 'interrupted');
  if (!given.state.isTurnOpen) beginTurn(text, given);
}

function readOutput({ call_id, output }: JsonObject, given: AsfGiven): void {
  const content = contentOf(output, given);
  const status = given.state.refused !== '' && given.state.refused === call_id ? 'denied' : 'ok';
  given.state.refused = '';
  addResult({ callId: call_id, left: 'item[function_call_output]', status, content }, given);
}

function readResponse({ response_id, model, usage, error }: JsonObject, given: AsfGiven): void {
  const { input_tokens, input_tokens_details, output_tokens, output_tokens_details } = objectIn(usage) ?? {};
  const cachedTokens = objectIn(input_tokens_details)?.cached_tokens;
  const reasoningTokens = objectIn(output_tokens_details)?.reasoning_tokens;
  const used = { inputTokens: input_tokens, outputTokens: output_tokens, cachedTokens, reasoningTokens };
  addUsage(used, { model: shortText(model) ?? '', message: shortText(response_id) }, given);
  const message = nonEmpty(objectIn(error)?.message);
  if (message !== undefined) failTurn(message, given);
}

const DECIDERS: Readonly<Record<string, EventData<'tool.decided'>['by']>> = {
  human: 'user',
  policy: 'policy',
  agent: 'agent',
};

/** A call that is on hold is decided by a later entry. */
function readDecision({ call_id, verdict, by, reason, args }: JsonObject, given: AsfGiven): void {
  const callId = nonEmpty(call_id);
  if (callId === undefined || (verdict !== 'proceed' && verdict !== 'reject')) return;
  if (verdict === 'reject') given.state.refused = shortText(callId) ?? '';
  const data = { callId, by: DECIDERS[textIn(by) ?? ''] ?? 'import' } as const;
  const why = shortText(reason);
  given.add({
    type: 'tool.decided',
    data: {
      ...data,
      decision: verdict === 'proceed' ? 'allow' : 'deny',
      ...(why !== undefined && { reason: why }),
      ...(objectIn(args) && { args: argumentsIn(args) }),
    },
  });
}

function readDispatch({ call_id }: JsonObject, given: AsfGiven): void {
  const callId = nonEmpty(call_id);
  if (callId === undefined) return;
  given.add({ type: 'tool.started', data: { callId, sandbox: 'unknown', envRemoved: [] } });
}

function readCompaction({ first_kept, summary, tokens_before }: JsonObject, given: AsfGiven): void {
  const kept = firstSeqOf(given.state.entries, nonEmpty(first_kept) ?? '');
  const text = contentOf(objectIn(summary)?.content, given).text;
  addCompactionBefore(kept, { summary: text, tokensBefore: countIn(tokens_before) }, given);
}

function readEnd({ reason, ref }: JsonObject, given: AsfGiven): void {
  if (reason === 'error') failTurn(textIn(ref) ?? '', given);
  else if (reason === 'aborted') endTurn(given, 'cancelled');
  else if (reason === 'stopped') endTurn(given, ref === 'loop' || ref === 'budget' ? ref : 'cancelled');
  else if (reason === 'done') endTurn(given, 'completed');
}

function contentOf(list: unknown, given: AsfGiven): Content {
  const content = new Content();
  if (typeof list === 'string') content.addText(list);
  for (const block of objectsIn(list)) {
    if (block.type === 'input_image' && content.addImage(imageOfUrl(block.image_url))) continue;
    if (typeof block.text === 'string') content.addText(block.text);
    else if (block.type === 'refusal') content.addText(textIn(block.refusal));
    else given.left.push(`item.content[${textIn(block.type) ?? ''}]`);
  }
  return content;
}
