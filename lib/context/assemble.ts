// Turns a view into a request: system text and messages that fit the window. Earlier parts stay as they were sent, so
// that providers can reuse cached input: instructions, context, summary, history, and each change at its place. Same
// view, same request. The invariants in invariants.ts are asserted on each request.
import { isOllmError, OllmError } from '../errors/index.ts';
import { currentTodo, TODO_TOOL, type Todo, todoList } from '../messages/todos.ts';
import { delimit, joined, ownText, type RequestText, textOf, UNTRUSTED_NOTE } from '../messages/untrusted.ts';
import { contextAt, contextChanges, gatheredTo } from '../projections/context-versions.ts';
import { countedEntries, countedSpans, type OpaqueSummary, standingFor } from '../projections/timeline.ts';
import { coveredList, listNow, type TodoLists } from '../projections/todos.ts';
import type { ViewItem, ViewMessage, ViewState } from '../projections/view.ts';
import type { HistoryForm } from '../providers/refused-history.ts';
import { estimateTokens } from '../tokens/estimate.ts';
import type { Assembled, RequestMessage } from './assembled.ts';
import { contextSections } from './entries.ts';
import { fitSteps } from './fit.ts';
import { violations } from './invariants.ts';
import { modelMessages } from './model-messages.ts';
import { type ContextNote, contextNotes } from './placed.ts';
import { splitAtReach, stepsOf, stepTokens, type ViewStep } from './steps.ts';

/** Tokens of the fixed text in every system prompt, without that of the session. */
export const INSTRUCTION_TOKENS = estimateTokens(UNTRUSTED_NOTE);

/** Gets the summary, and not what one model made of it for itself. */
const NO_MODEL = { provider: '', model: '' };

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
  /** How the history is written, where the provider refused it as it came. */
  readonly form?: HistoryForm | undefined;
}

/**
 * The next request to the model.
 *
 * @throws OllmError CONTEXT_TOO_SMALL if the newest message does not fit, whole
 */
export function assemble(view: ViewState, options: AssembleOptions): Assembled {
  const covered = coveredList(view.todos, view.timeline);
  const now = listNow(view.todos, view.timeline.branches);
  const assembled = withTodos(view, options, covered);
  if (now === covered || assembled.items.some(({ seq }) => seq === now?.seq)) return assembled;
  return withTodos(view, options, now);
}

/** Without the list if there is no room for it. */
function withTodos(view: ViewState, options: AssembleOptions, list: TodoLists['lists'][number] | undefined): Assembled {
  if (list === undefined || currentTodo(list.todos) === undefined) return assembleWith(view, options, ownText(''));
  try {
    return assembleWith(view, options, todoText(list.todos));
  } catch (error) {
    if (!isOllmError(error, 'CONTEXT_TOO_SMALL')) throw error;
    return assembleWith(view, options, ownText(''));
  }
}

/** The list of tasks, if its call is covered or does not fit: the model wrote it, and it instructs nothing. */
function todoText(todos: readonly Todo[]): RequestText {
  const heading = ownText(`## What is to do, as you wrote it with ${TODO_TOOL}`);
  return joined([heading, delimit(todoList(todos), { what: `list of ${TODO_TOOL}` })]);
}

function assembleWith(view: ViewState, options: AssembleOptions, todos: RequestText): Assembled {
  const counted = withOutputs(countedEntries(view.timeline), options.outputs);
  const forgotten = countedSpans(view.timeline);
  const opaque = standingIn(view, options)?.opaque;
  const instructions = instructionText(counted);
  const said = counted.filter(({ pinned }) => !pinned);
  // If the oldest messages are left out, their notes on the context are gathered at the beginning too.
  let from = gatheredTo(view);
  let part = partOf(view, options, { from, said, instructions, todos });
  for (;;) {
    const first = part.fitting === undefined ? Number.POSITIVE_INFINITY : part.fitting[0]?.items[0]?.seq;
    const isCut = part.fitting === undefined || forgotten.length > 0 || part.left.length > 0;
    if (!isCut || first === undefined || first - 1 <= from || contextChanges(view, from).length === 0) break;
    from = first - 1;
    part = partOf(view, options, { from, said, instructions, todos });
  }
  const { fitting, left, system, notes, fixedTokens } = part;
  if (fitting === undefined) throw tooSmall(view, options, fixedTokens);

  const items = fitting.flatMap((step) => step.items);
  const assembled: Assembled = {
    system,
    messages: [
      ...(opaque === undefined ? [] : [opaqueMessage(opaque)]),
      ...modelMessages(fitting, { provider: view.provider, notes, form: options.form }),
    ],
    stable: { system: instructions.length },
    items,
    leftOut: {
      messages: messagesIn(left) + sum(forgotten.map((span) => span.messages)),
      tokens: stepTokens(left) + sum(forgotten.map(({ tokens }) => tokens)),
    },
    tokens: fixedTokens + sum(fitting.map(({ tokens }) => tokens)),
  };
  const broken = violations(view, assembled);
  if (broken.length > 0) throw new OllmError('INTERNAL', `The request is not what it must be: ${broken.join(' ')}`);
  return assembled;
}

interface Fixed {
  /** The event up to which what changed in the context is at the beginning. */
  readonly from: number;
  readonly said: readonly ViewItem[];
  readonly instructions: RequestText;
  readonly todos: RequestText;
}

/** The part that fits next to the context, placed in this way. */
function partOf(view: ViewState, options: AssembleOptions, { from, said, instructions, todos }: Fixed) {
  const { reserveTokens, contextWindow = view.contextWindow, toolTokens = 0, tokenFactor = 1, historyWindow } = options;
  const standing = standingIn(view, options);
  const system = joined([instructions, contextText(view, { from, todos, summary: standing?.summary })]);
  const notesFor = (steps: readonly ViewStep[]): readonly ContextNote[] =>
    contextNotes(
      view,
      from,
      steps.flatMap(({ items }) => items.slice(0, 1).map(({ seq }) => seq)),
    );
  const all = notesFor(stepsOf(said));
  const noted = sum(all.flatMap(({ messages }) => messages.map(({ text }) => estimateTokens(text))));
  const fixedTokens = estimateTokens(system) + noted + toolTokens + (standing?.opaque?.tokens ?? 0);
  const roomForAll = (contextWindow ?? Number.POSITIVE_INFINITY) - reserveTokens;
  const room = Math.floor(roomForAll / tokenFactor) - fixedTokens;
  const { near } = splitAtReach(said, room);
  const wanted = historyWindow === undefined ? undefined : historyWindow / tokenFactor;
  const fitting = room < 0 ? undefined : fitSteps(stepsOf(near), room, wanted);
  const kept = new Set(fitting?.flatMap(({ items }) => items));
  const left = said.filter((item) => !kept.has(item));
  return { system, fixedTokens, fitting, left, notes: left.length === 0 ? all : notesFor(fitting ?? []) };
}

/** The text that replaces covered items. */
function standingIn(view: ViewState, { form }: AssembleOptions) {
  return standingFor(view.timeline, form?.reasoning === 'none' ? NO_MODEL : view);
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

/** The context entries of the beginning, then the summary of covered items, with the list of tasks at that time. */
function contextText(
  view: ViewState,
  { from, todos, summary }: Pick<Fixed, 'from' | 'todos'> & { readonly summary: string | undefined },
): RequestText {
  const sections = contextSections(contextAt(view, from));
  if (summary === undefined) return joined([sections, todos]);
  const heading = ownText('## Earlier in this conversation');
  return joined([sections, heading, delimit(summary, { what: 'summary' }), todos]);
}

/** The result of a compaction by the provider, in the form that it accepts. */
function opaqueMessage({ provider, content }: OpaqueSummary): RequestMessage {
  return { role: 'assistant', parts: [{ type: 'reasoning', provider, opaque: content }], toolCalls: [] };
}

function promptText({ parts, trusted }: ViewMessage): RequestText {
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  return textOf(text, { trusted, what: 'system message' });
}

function tooSmall(view: ViewState, options: AssembleOptions, fixedTokens: number): OllmError {
  const { reserveTokens, contextWindow = view.contextWindow } = options;
  return new OllmError(
    'CONTEXT_TOO_SMALL',
    `The newest message does not fit the window of ${view.model}: of ${contextWindow} tokens, ${reserveTokens} are kept for the ` +
      `answer and ${fixedTokens} are taken by system prompt, context and tools.`,
    {
      hint: 'Use a model with a larger window, shorten the message, or remove context entries.',
      data: { contextWindow, reserveTokens, fixedTokens },
    },
  );
}

function messagesIn(items: readonly ViewItem[]): number {
  return items.filter(({ kind }) => kind === 'message').length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
