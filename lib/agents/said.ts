// Messages, calls and results as events, in the form that all modules give them. A message without a part gives none.
import type { EventData } from '../events/index.ts';
import type { Part } from '../messages/index.ts';
import { Content } from './content.ts';
import type { Attachment, Given } from './given.ts';
import { argumentsIn, defined, nonEmpty } from './members.ts';

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

export interface OfModel extends HeldContent {
  readonly provider: string;
  /** '' where it is not known, as the next two. */
  readonly model?: string | undefined;
  readonly finish?: EventData<'message.added'>['finish'];
  /** The answer that it is a part of. */
  readonly message?: string | undefined;
  readonly at?: string | undefined;
}

export function addAnswer({ content, provider, model, finish, message, at }: OfModel, given: AnyGiven): void {
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
interface AskedFor {
  readonly callId: unknown;
  readonly name: unknown;
  readonly args: unknown;
  readonly message?: string | undefined;
  readonly at?: string | undefined;
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
  readonly callId: string;
  readonly status: EventData<'tool.finished'>['status'];
  /** The text for the model. */
  readonly text: string;
  /** The pictures in it. */
  readonly content?: Content | undefined;
  /** The text that the user saw, if it differs. */
  readonly shown?: string | undefined;
  readonly durationMs?: number | undefined;
  /** Address of the session in which a subagent did it. */
  readonly subagent?: string | undefined;
  readonly at?: string | undefined;
}

export function addResult({ callId, status, text, content, shown, ...more }: Finished, given: AnyGiven): void {
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
