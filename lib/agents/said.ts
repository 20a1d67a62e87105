// Messages, calls and results as events, in the form that all modules give them. A message without a part gives none.
import type { EventData } from '../events/index.ts';
import type { Part } from '../messages/index.ts';
import type { ModelState } from './about.ts';
import { Content } from './content.ts';
import type { Attachment, Given } from './given.ts';
import { argumentsIn, defined, nonEmpty } from './members.ts';
import { beginTurn, type TurnState } from './turns.ts';

type AnyGiven = Given<{ readonly turn: number }>;

/** The content of a message; `parts`: the parts that it is about, if not all. */
interface HeldContent {
  readonly content: Content;
  readonly parts?: readonly Part[] | undefined;
}

interface OfUser extends HeldContent {
  /** A program put it there. */
  readonly isSynthetic: boolean;
  readonly message?: string | undefined;
}

export function addUserMessage(
  { content, parts = content.parts, isSynthetic, message }: OfUser,
  given: AnyGiven,
): void {
  if (parts.length === 0) return;
  given.add({
    type: 'message.added',
    data: {
      role: 'user',
      parts: [...parts],
      trusted: false,
      ...(isSynthetic ? { synthetic: true } : {}),
      ...defined({ message }),
    },
    ...attached(content, parts),
  });
}

/** Texts that a program put into the role of the user. */
export function addInjected(texts: string | readonly string[], given: AnyGiven): void {
  const content = new Content();
  for (const text of [texts].flat()) content.addText(text);
  addUserMessage({ content, isSynthetic: true }, given);
}

/** A prompt, which begins a turn. That of a subagent is not the user's. Without a part, nothing is added. */
export function addPrompt(
  content: Content,
  given: Given<TurnState & { readonly isSubagent: boolean }>,
  message?: string,
): void {
  if (content.parts.length === 0) return;
  beginTurn(content.text, given);
  addUserMessage({ content, isSynthetic: given.state.isSubagent, message }, given);
}

export interface OfModel extends HeldContent {
  /** Default: that of the session, as the next one. '' where it is not known. */
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly finish?: EventData<'message.added'>['finish'];
  /** The answer that it is a part of. */
  readonly message?: string | undefined;
  readonly at?: string | undefined;
}

export function addAnswer({ content, finish, message, at, ...by }: OfModel, given: Given<ModelState>): void {
  const { provider = given.state.provider, model = given.state.model } = by;
  const { parts } = content;
  if (parts.length === 0) return;
  given.add({
    type: 'message.added',
    data: {
      role: 'assistant',
      parts,
      trusted: false,
      ...defined({ provider: provider || undefined, model: model || undefined, finish, message, at }),
    },
    ...attached(content, parts),
  });
}

/** A call as a record has it: members of any kind. */
export interface CallOfModel {
  readonly callId: unknown;
  readonly name: unknown;
  readonly args: unknown;
}

interface AskedFor extends CallOfModel {
  readonly message?: string | undefined;
  readonly at?: string | undefined;
}

interface OfStep extends OfModel {
  readonly calls: readonly CallOfModel[];
  /** The name of a call that lacks something: see `Given.left`. */
  readonly left: string;
}

/** A whole answer with its calls: a step of the turn, which without a call needs nothing more. */
export function addStep({ calls, left, ...answer }: OfStep, given: Given<ModelState & TurnState>): void {
  given.state.steps += 1;
  given.state.isAnswered = calls.length === 0;
  addAnswer({ finish: calls.length > 0 ? 'tool-calls' : undefined, ...answer }, given);
  for (const call of calls) if (!addCall({ ...call, message: answer.message }, given)) given.left.push(left);
}

/** False where it lacks what a call must have: nothing is added. */
export function addCall({ callId, name, args, message, at }: AskedFor, given: AnyGiven): boolean {
  const id = nonEmpty(callId);
  const tool = nonEmpty(name);
  if (id === undefined || tool === undefined) return false;
  const data = { callId: id, name: tool, args: argumentsIn(args), ...defined({ message, at }) };
  given.add({ type: 'tool.requested', data });
  return true;
}

interface Finished {
  readonly callId: unknown;
  /** The name of a result that lacks the id of its call: see `Given.left`. */
  readonly left?: string | undefined;
  readonly status: EventData<'tool.finished'>['status'];
  /** The text for the model. Default: that of `content`. */
  readonly text?: string | undefined;
  /** The pictures in it. */
  readonly content?: Content | undefined;
  /** The text that the user saw, if it differs. */
  readonly shown?: string | undefined;
  readonly durationMs?: number | undefined;
  /** Address of the session in which a subagent did it. */
  readonly subagent?: string | undefined;
  readonly at?: string | undefined;
}

export function addResult(
  { callId: id, left, status, content, text = content?.text ?? '', shown, ...more }: Finished,
  given: AnyGiven,
): void {
  const callId = nonEmpty(id);
  if (callId === undefined) {
    if (left !== undefined) given.left.push(left);
    return;
  }
  const images = content?.images ?? [];
  const result = {
    llmContent: text,
    ...(shown === undefined || shown === text ? {} : { returnDisplay: shown }),
    ...(images.length === 0 ? {} : { images: [...images] }),
  };
  given.add({
    type: 'tool.finished',
    data: { callId, status, result, trusted: false, ...defined(more) },
    ...(content === undefined ? {} : attached(content, images)),
  });
}

function attached(content: Content, parts: readonly Part[]): { attachments?: readonly Attachment[] } {
  const attachments = content.attachmentsOf(parts);
  return attachments.length === 0 ? {} : { attachments };
}
