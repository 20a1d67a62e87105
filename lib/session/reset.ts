// A session starts again under its id. The old journal goes to archive/, the new one names it. Reset keeps the prompt
// as it is recorded unless another is handed in, and the conversation if that is wanted; a rebuild hands in the new
// text of an edited prompt file.
import { eachEvent } from '../journal/reading/outcomes.ts';
import type { JournalReader, JournalStore, NewEvent, SessionEvent } from '../journal/types.ts';
import { copyEvents } from './copy-events.ts';
import { type CreatedData, type SystemPrompt, systemMessage } from './create.ts';
import { createdAgain, firstEvent } from './fork.ts';

interface ResetRequest {
  readonly reason: 'reset' | 'rebuild';
  readonly keepHistory?: boolean | undefined;
  /** False: the new session begins without any. */
  readonly keepPrompt?: boolean | undefined;
  /** The prompt in place of the recorded one, with the file that it comes from. */
  readonly prompt?: { readonly system: SystemPrompt; readonly record: CreatedData['prompt'] } | undefined;
  /** Facts of the new journal that differ from the old one: the version. */
  readonly created: Partial<CreatedData>;
}

/**
 * The session is as it was, or has begun again: never neither.
 * @throws OllmError SESSION_NOT_FOUND, JOURNAL_LOCKED, JOURNAL_EMPTY, JOURNAL_READ_ONLY, JOURNAL_FULL
 */
export async function resetSession(
  store: JournalStore,
  id: string,
  request: ResetRequest,
): Promise<{ readonly archive: string }> {
  const { reason } = request;
  let batches: readonly (readonly NewEvent[])[] = [];
  const archive = await store.replace(id, {
    suffix: reason,
    async created(name) {
      const old = await readForReset(store, id, request);
      batches = old.batches;
      return { ...old.created, ...request.created, previous: { archive: name, reason } };
    },
    async fill(writer) {
      for (const batch of batches) if (batch.length > 0) await writer.append(batch);
    },
  });
  return { archive };
}

async function readForReset(
  store: JournalStore,
  id: string,
  request: ResetRequest,
): Promise<{ readonly created: CreatedData; readonly batches: readonly (readonly NewEvent[])[] }> {
  using reader = store.openReader(id);
  const { prompt: recordedFile, ...created } = createdAgain(await firstEvent(reader));
  const record = request.prompt === undefined ? recordedFile : request.prompt.record;
  const system = await newPrompt(reader, request);
  return {
    created: { ...created, ...(record && { prompt: record }) },
    batches: [system, ...(request.keepHistory ? await historyOf(reader, system.length) : [])],
  };
}

async function newPrompt(
  reader: JournalReader,
  { prompt, keepPrompt = true }: Pick<ResetRequest, 'prompt' | 'keepPrompt'>,
): Promise<NewEvent[]> {
  if (prompt !== undefined) return [systemMessage(prompt.system)];
  return keepPrompt ? recordedPrompt(reader) : [];
}

async function recordedPrompt(reader: JournalReader): Promise<NewEvent[]> {
  const prompt: NewEvent[] = [];
  for await (const event of eachEvent(reader.outcomes())) {
    if (isSystemMessage(event)) prompt.push({ type: event.type, data: event.data });
    else if (event.type === 'message.added') return prompt;
  }
  return prompt;
}

/** Everything but the prompt: events after the first line and the current `prompts` messages. */
function historyOf(reader: JournalReader, prompts: number): Promise<(readonly NewEvent[])[]> {
  let conversationBegan = false;
  const isPrompt = (event: SessionEvent): boolean => {
    conversationBegan ||= event.type === 'message.added' && !isSystemMessage(event);
    return !conversationBegan && isSystemMessage(event);
  };
  return Array.fromAsync(copyEvents(reader.outcomes(), { before: 1 + prompts, without: isPrompt }));
}

function isSystemMessage({ type, data }: SessionEvent): boolean {
  return type === 'message.added' && data.role === 'system';
}
