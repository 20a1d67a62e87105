// A session starts anew under its id. The old journal goes to archive/, the new one names it. Reset keeps the prompt as it
// is recorded unless another is handed in, and the conversation if that is wanted; whoever edited the prompt's file hands
// in its new text: that is a rebuild.
import type { JournalReader, JournalStore, NewEvent, StoredEvent } from '../journal/types.ts';
import { copyEvents, inBatches } from './copy-events.ts';
import { type CreatedData, type SystemPrompt, systemMessage } from './create.ts';
import { createdAgain, firstEvent } from './fork.ts';

export interface ResetRequest {
  readonly reason: 'reset' | 'rebuild';
  readonly keepHistory?: boolean | undefined;
  /** The prompt in place of the recorded one, with the file that it comes from. */
  readonly prompt?: { readonly system: SystemPrompt; readonly record: CreatedData['prompt'] } | undefined;
  /** What is true of the new journal and was not of the old one: the version. */
  readonly created: Partial<CreatedData>;
}

/**
 * The session is as it was, or has begun anew: never neither.
 * @throws OllmError SESSION_NOT_FOUND, JOURNAL_LOCKED, JOURNAL_EMPTY, JOURNAL_READ_ONLY, JOURNAL_FULL
 */
export async function resetSession(
  store: JournalStore,
  id: string,
  request: ResetRequest,
): Promise<{ readonly archive: string }> {
  const { reason } = request;
  let events: readonly NewEvent[] = [];
  const archive = await store.replace(id, {
    suffix: reason,
    created(name) {
      const old = readForReset(store, id, request);
      events = old.events;
      return { ...old.created, ...request.created, previous: { archive: name, reason } };
    },
    async fill(writer) {
      for (const batch of inBatches(events)) await writer.append(batch);
    },
  });
  return { archive };
}

function readForReset(
  store: JournalStore,
  id: string,
  request: ResetRequest,
): { readonly created: CreatedData; readonly events: readonly NewEvent[] } {
  const reader = store.openReader(id);
  try {
    const { prompt: recordedFile, ...created } = createdAgain(firstEvent(reader));
    const record = request.prompt === undefined ? recordedFile : request.prompt.record;
    const system = request.prompt ? [systemMessage(request.prompt.system)] : recordedPrompt(reader);
    return {
      created: { ...created, ...(record && { prompt: record }) },
      events: [...system, ...(request.keepHistory ? historyOf(reader, system.length) : [])],
    };
  } finally {
    reader.close();
  }
}

function recordedPrompt(reader: JournalReader): NewEvent[] {
  const prompt: NewEvent[] = [];
  for (const outcome of reader.outcomes()) {
    if (outcome.kind === 'damage') continue;
    const { event } = outcome;
    if (isSystemMessage(event)) prompt.push({ type: event.type, data: event.data });
    else if (event.type === 'message.added') break;
  }
  return prompt;
}

/** Everything but the prompt, behind the first line and the `prompts` messages that stand there now. */
function historyOf(reader: JournalReader, prompts: number): Iterable<NewEvent> {
  let conversationBegan = false;
  const isPrompt = (event: StoredEvent): boolean => {
    conversationBegan ||= event.type === 'message.added' && !isSystemMessage(event);
    return !conversationBegan && isSystemMessage(event);
  };
  return [...copyEvents(reader.outcomes(), { before: 1 + prompts, without: isPrompt })];
}

function isSystemMessage({ type, data }: StoredEvent): boolean {
  return type === 'message.added' && data.role === 'system';
}
