// The events of a message of goose. Results come in the role of the user, and no record ends a turn: the next prompt
// does. After a compaction the earlier messages are marked, and the summary is a message that the user does not see.
import { changeModel, changeTitle } from '../about.ts';
import type { JsonObject, RecordFacts } from '../agent.ts';
import { imageOf } from '../attachments.ts';
import { addCompaction } from '../compaction.ts';
import { Content } from '../content.ts';
import { absolutePathIn, nonEmpty, objectIn, objectsIn, shortText, textIn } from '../members.ts';
import { addInjected, addResult, addStep, addUserMessage, type CallOfModel } from '../said.ts';
import { millisecondsIn } from '../times.ts';
import { beginTurn, failTurn } from '../turns.ts';
import { addUsage } from '../usage.ts';
import { modelIn } from './head.ts';
import type { GooseGiven } from './state.ts';

const NOT_SAID = new Set(['toolRequest', 'frontendToolRequest', 'toolResponse']);

export function translate(record: JsonObject, given: GooseGiven): RecordFacts {
  const session = objectIn(record.session);
  if (session !== undefined) readSession(session, given);
  else if (record.role === 'user') readUser(record, given);
  else if (record.role === 'assistant') readAnswer(record, given);
  else if (nonEmpty(record.role) === undefined) readSession(record, given);
  return { record: shortText(record.id), at: millisecondsIn(record.created) };
}

/** The session itself, as the database or the first line has it. */
function readSession({ name, description, working_dir, provider_name, model }: JsonObject, given: GooseGiven): void {
  given.state.cwd = absolutePathIn(working_dir) ?? given.state.cwd;
  changeTitle(nonEmpty(name) ?? description, 'derived', given);
  changeModel(provider_name, model, given);
}

function readUser(message: JsonObject, given: GooseGiven): void {
  const metadata = objectIn(message.metadata) ?? {};
  const isReplacing = isSummary(metadata, given);
  for (const block of objectsIn(message.content)) {
    if (block.type === 'toolResponse') readResult(block, given);
  }
  const content = contentOf(message, given);
  if (content.parts.length === 0) return;
  if (isReplacing) addCompaction({ summary: content.text }, given);
  else if (metadata.userVisible === false) addInjected(content.text, given);
  else {
    if (metadata.steer !== true || !given.state.isTurnOpen) beginTurn(content.text, given);
    addUserMessage({ content, isSynthetic: given.state.isSubagent, message: shortText(message.id) }, given);
  }
}

function readAnswer(message: JsonObject, given: GooseGiven): void {
  const metadata = objectIn(message.metadata) ?? {};
  changeModel(objectIn(metadata.inference)?.provider, modelIn(metadata), given);
  const id = shortText(message.id);
  const content = contentOf(message, given);
  if (isSummary(metadata, given)) {
    addCompaction({ summary: content.text }, given);
    return;
  }
  const blocks = objectsIn(message.content);
  const asked = blocks.filter(({ type }) => type === 'toolRequest' || type === 'frontendToolRequest');
  addStep({ content, calls: asked.map(callOf), message: id, left: 'content[toolRequest]' }, given);
  reportUsage(objectIn(metadata.usage), id, given);
  const error = blocks.find(({ type }) => type === 'error');
  if (error !== undefined) failTurn(nonEmpty(error.message) ?? nonEmpty(error.kind) ?? '', given);
}

/** Whether it took the place of messages that are no longer sent. */
function isSummary({ agentVisible, userVisible, turnContext }: JsonObject, { state }: GooseGiven): boolean {
  const isFirst = state.isHidden && agentVisible !== false;
  state.isHidden = agentVisible === false;
  return isFirst && userVisible === false && turnContext !== true;
}

function contentOf({ content: list }: JsonObject, given: GooseGiven): Content {
  const content = new Content();
  const { provider } = given.state;
  for (const block of objectsIn(list)) {
    const { type, text, thinking, signature, data, mimeType } = block;
    if (type === 'text') content.addText(textIn(text));
    else if (type === 'thinking') content.addReasoning(provider, nonEmpty(thinking), nonEmpty(signature));
    else if (type === 'redactedThinking') content.addReasoning(provider, undefined, nonEmpty(data));
    else if (type === 'image' && content.addImage(imageOf(mimeType, data))) continue;
    else if (type !== 'error' && !NOT_SAID.has(String(type))) given.left.push(`content[${textIn(type) ?? ''}]`);
  }
  return content;
}

/** A call of the model, where goose could read it. */
function callOf({ id: callId, toolCall }: JsonObject): CallOfModel {
  const call = objectIn(toolCall) ?? {};
  const { name, arguments: args } = objectIn(call.value) ?? call;
  return { callId, name, args };
}

function readResult({ id: callId, toolResult }: JsonObject, given: GooseGiven): void {
  const { status, error, value } = objectIn(toolResult) ?? { value: toolResult };
  const said = objectIn(value);
  const content = new Content();
  for (const { type, text, data, mimeType } of objectsIn(said?.content ?? value)) {
    if (type === 'text') content.addText(textIn(text));
    else if (type !== 'image' || !content.addImage(imageOf(mimeType, data))) {
      given.left.push(`content[toolResponse].content[${textIn(type) ?? ''}]`);
    }
  }
  const isError = status === 'error' || said?.isError === true;
  const text = content.parts.length === 0 ? (textIn(error) ?? '') : content.text;
  addResult({ callId, left: 'content[toolResponse]', status: isError ? 'error' : 'ok', text, content }, given);
}

/** The input includes the tokens of a cache. */
function reportUsage(usage: JsonObject | undefined, message: string | undefined, given: GooseGiven): void {
  const { inputTokens, outputTokens, cacheReadTokens: cachedTokens, cacheWriteTokens, cost: totalCost } = usage ?? {};
  const used = { inputTokens, outputTokens, cachedTokens, cacheWriteTokens, totalCost };
  addUsage(used, { message, purpose: usage?.isCompaction === true ? 'summary' : undefined }, given);
}
