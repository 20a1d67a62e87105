// From a view to what a provider is asked: system text and messages that fit the window. What changes least is
// first, so that providers can reuse what they have read: instructions, context, summary, history; what changes most
// is directly before the newest question. Same view, same request. The invariants beside it are asserted
// on each one.
import { isOllmError, OllmError } from '../errors/index.ts';
import { currentTodo, TODO_TOOL, type Todo, todoList } from '../messages/todos.ts';
import { delimit, joined, ownText, type RequestText, textOf, UNTRUSTED_NOTE } from '../messages/untrusted.ts';
import { countedEntries, countedSpans, type OpaqueSummary, standingFor } from '../projections/timeline.ts';
import { listNow } from '../projections/todos.ts';
import type { ViewItem, ViewMessage, ViewState } from '../projections/view.ts';
import { estimateTokens } from '../tokens/estimate.ts';
import type { Assembled, RequestMessage } from './assembled.ts';
import { contextSections, isVolatile } from './entries.ts';
import { fitSteps } from './fit.ts';
import { violations } from './invariants.ts';
import { modelMessages } from './model-messages.ts';
import { splitAtReach, stepsOf, stepTokens } from './steps.ts';

/** Tokens of what every system prompt says besides the text of the session. */
export const INSTRUCTION_TOKENS = estimateTokens(UNTRUSTED_NOTE);

export interface AssembleOptions {
  /** Tokens of the window that are kept free for the answer. */
  readonly reserveTokens: number;
  /** Tokens that the request and its answer may take. Default: the model's window; without one everything is sent. */
  readonly contextWindow?: number | undefined;
  /** Tokens of the tool definitions that go with the request. */
  readonly toolTokens?: number | undefined;
  /** By what our counts are multiplied to come to those of the model. Default: 1. */
  readonly tokenFactor?: number | undefined;
  /** Tokens of messages that are sent at most; the newest always is. */
  readonly historyWindow?: number | undefined;
  /** Outputs that are not in the view, by the seq of their result. */
  readonly outputs?: ReadonlyMap<number, string> | undefined;
}

/**
 * What the model is sent next.
 *
 * @throws OllmError CONTEXT_TOO_SMALL if the newest message does not fit, whole
 */
export function assemble(view: ViewState, options: AssembleOptions): Assembled {
  const list = listNow(view.todos, view.timeline.branches);
  const isSent = ({ items }: Assembled) => items.some(({ seq }) => seq === list?.seq);
  const assembled = assembleWith(view, options, ownText(''));
  if (list === undefined || currentTodo(list.todos) === undefined || isSent(assembled)) return assembled;
  try {
    return assembleWith(view, options, todoText(list.todos));
  } catch (error) {
    if (isOllmError(error, 'CONTEXT_TOO_SMALL')) return assembled;
    throw error;
  }
}

/** What is to do, where its call is covered or does not fit: the model wrote it, and it instructs nothing. */
function todoText(todos: readonly Todo[]): RequestText {
  const heading = ownText(`## What is to do, as you wrote it with ${TODO_TOOL}`);
  return joined([heading, delimit(todoList(todos), { what: `list of ${TODO_TOOL}` })]);
}

function assembleWith(view: ViewState, options: AssembleOptions, todos: RequestText): Assembled {
  const { reserveTokens, contextWindow = view.contextWindow, toolTokens = 0, tokenFactor = 1 } = options;
  const { historyWindow, outputs } = options;
  const counted = withOutputs(countedEntries(view.timeline), outputs);
  const instructions = instructionText(counted);
  const system = joined([instructions, contextText(view)]);
  const beforeQuestion = joined([contextSections(view.context.entries.filter(isVolatile)), todos]);
  const opaque = standingFor(view.timeline, view)?.opaque;
  const fixedTokens = estimateTokens(system) + estimateTokens(beforeQuestion) + toolTokens + (opaque?.tokens ?? 0);
  const roomForAll = (contextWindow ?? Number.POSITIVE_INFINITY) - reserveTokens;
  const room = Math.floor(roomForAll / tokenFactor) - fixedTokens;
  const { near, far } = splitAtReach(
    counted.filter(({ pinned }) => !pinned),
    room,
  );
  const steps = stepsOf(near);
  const fitting = fitSteps(steps, room, historyWindow === undefined ? undefined : historyWindow / tokenFactor);
  if (fitting === undefined || room < 0) throw tooSmall(view, { contextWindow, reserveTokens, fixedTokens });

  const items = fitting.flatMap((step) => step.items);
  const sentTokens = sum(fitting.map(({ tokens }) => tokens));
  const forgotten = countedSpans(view.timeline);
  const messages = [
    ...(opaque === undefined ? [] : [opaqueMessage(opaque)]),
    ...modelMessages(fitting, { provider: view.provider, beforeQuestion }),
  ];
  const assembled: Assembled = {
    system,
    messages,
    stable: {
      system: instructions.length,
      messages: beforeQuestion === '' ? messages.length : messages.findLastIndex(({ role }) => role === 'user'),
    },
    items,
    leftOut: {
      messages: messagesIn(far) + messagesIn(near) - messagesIn(items) + sum(forgotten.map((span) => span.messages)),
      tokens: stepTokens(far) + stepTokens(near) - sentTokens + sum(forgotten.map(({ tokens }) => tokens)),
    },
    tokens: fixedTokens + sentTokens,
  };
  const broken = violations(view, assembled);
  if (broken.length > 0) throw new OllmError('INTERNAL', `The request is not what it must be: ${broken.join(' ')}`);
  return assembled;
}

function withOutputs(items: readonly ViewItem[], outputs: AssembleOptions['outputs']): readonly ViewItem[] {
  if (outputs === undefined || outputs.size === 0) return items;
  return items.map((item) => {
    const content = item.kind === 'call' && item.result ? outputs.get(item.result.seq) : undefined;
    if (content === undefined || item.kind !== 'call' || item.result === undefined) return item;
    return { ...item, tokens: item.tokens + estimateTokens(content), result: { ...item.result, content } };
  });
}

/** The system prompt, and what delimiters mean: the same in each request of a session. */
function instructionText(counted: readonly ViewItem[]): RequestText {
  const prompt = counted.filter((item) => item.kind === 'message').filter(({ pinned }) => pinned);
  return joined([...prompt.map(promptText), UNTRUSTED_NOTE]);
}

/** The context entries that stay for a while, then the summary of what is covered. */
function contextText(view: ViewState): RequestText {
  const entries = view.context.entries.filter((entry) => !isVolatile(entry));
  const summary = standingFor(view.timeline, view)?.summary;
  if (summary === undefined) return contextSections(entries);
  const heading = ownText('## Earlier in this conversation');
  return joined([contextSections(entries), heading, delimit(summary, { what: 'summary' })]);
}

/** What came of a compaction by the provider, in the form in which it takes it back. */
function opaqueMessage({ provider, content }: OpaqueSummary): RequestMessage {
  return { role: 'assistant', parts: [{ type: 'reasoning', provider, opaque: content }], toolCalls: [] };
}

function promptText({ parts, trusted }: ViewMessage): RequestText {
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  return textOf(text, { trusted, what: 'system message' });
}

function tooSmall(
  { model }: ViewState,
  facts: { contextWindow: number | undefined; reserveTokens: number; fixedTokens: number },
): OllmError {
  const { contextWindow, reserveTokens, fixedTokens } = facts;
  return new OllmError(
    'CONTEXT_TOO_SMALL',
    `The newest message does not fit the window of ${model}: of ${contextWindow} tokens, ${reserveTokens} are kept for the ` +
      `answer and ${fixedTokens} are taken by system prompt, context and tools.`,
    { hint: 'Use a model with a larger window, shorten the message, or remove context entries.', data: facts },
  );
}

function messagesIn(items: readonly ViewItem[]): number {
  return items.filter(({ kind }) => kind === 'message').length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
