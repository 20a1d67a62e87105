// Prepares a tool's result for the journal and for the model: without secrets, cut if it is long, with the whole in a
// file next to the journal. Works in slices: a large output does not block the event loop.
import { setImmediate as breathe } from 'node:timers/promises';
import type { NewOllmEvent } from '../../events/index.ts';
import type { ImagePart, TokenCount } from '../../messages/index.ts';
import { withParts } from '../../tokens/estimate.ts';
import { detectInjection, INJECTION_RULES } from '../../tools/injection.ts';
import { isText } from '../../tools/kind-of-bytes.ts';
import { cutOutput } from '../../tools/output.ts';
import type { ToolOutput } from '../../tools/tool.ts';
import { createScrubber, type Scrubber } from '../redact-event.ts';
import type { Turn } from '../turn.ts';
import type { TurnTools } from '../turn-tools.ts';
import { keepImages } from './tool-images.ts';

/** A result of a call that the user changed begins with it. */
export const CHANGED_ARGUMENTS = 'The user changed the arguments to';

/** Reading more than this takes milliseconds: other work runs in between. */
const READ_AT_ONCE = 1024 * 1024;

interface OutputRequest {
  readonly callId: string;
  readonly name: string;
  readonly output: ToolOutput;
  /** The arguments that it ran with, where the user changed them: the model must know. */
  readonly changedArgs?: unknown;
  /** Tokens that the model may be given. */
  readonly maxTokens: number;
}

interface OutputRecord {
  /** The text for the model while the turn runs. */
  readonly content: string;
  /** The text that the journal keeps, and that the model gets in later turns. */
  readonly stored: string;
  /** The tokens of `stored` and the images. */
  readonly tokens: TokenCount;
  readonly images?: readonly ImagePart[] | undefined;
  readonly display?: string | undefined;
  readonly truncated?: { readonly originalBytes: number; readonly keptBytes: number } | undefined;
  readonly blob?: string | undefined;
  /** Further events to store. */
  readonly events: readonly NewOllmEvent[];
}

export async function storeOutput(turn: Turn, tools: TurnTools, request: OutputRequest): Promise<OutputRecord> {
  const { dependencies, number } = turn;
  const { name, output, maxTokens } = request;
  const keeps = tools.keepsOutputs !== false;
  const { counter, store } = dependencies;
  const scrub = createScrubber(dependencies.redactor);
  const whole = await withoutSecrets(output.content, scrub, dependencies.redactor !== undefined);
  const images = await keepImages(turn, output.images ?? [], { maxTokens, keeps });
  const note = noteOfChange(request, scrub);
  const clean = note + whole.text + images.notes;
  const options = { maxTokens: maxTokens - images.tokens, counter, omittedBytes: output.omittedBytes };
  const short = await cutOutput(whole.bytes ?? clean, options);
  const isCut = whole.bytes !== undefined || (short.truncated !== undefined && short.truncated.keptBytes > 0);
  const blob = keeps && isCut ? await store.putBlob(whole.bytes ?? (await encoded(clean)), turn.session.id) : undefined;
  const cut =
    blob === undefined ? short : await cutOutput(whole.bytes ?? clean, { ...options, restLocation: `blobs/${blob}` });
  const content = cut.llmContent;
  // The user knows what he changed.
  const forUser = output.display ?? (note === '' || whole.bytes !== undefined ? undefined : whole.text);
  const display = forUser === undefined ? undefined : await shown(forUser, scrub, options);
  const events = [...scrub.findings(`output of ${name}`, number), ...flags(content, request, number)];
  const common = { content, blob, events, truncated: cut.truncated };
  if (keeps) {
    const shownToo = images.parts.length === 0 ? {} : { images: images.parts };
    return { ...common, display, stored: content, tokens: withParts(cut.tokens, images.parts), ...shownToo };
  }

  const originalBytes = cut.truncated?.originalBytes ?? Buffer.byteLength(content);
  const stored = notKept(originalBytes);
  return { ...common, stored, tokens: counter.count(stored), truncated: { originalBytes, keptBytes: 0 } };
}

/**
 * Flags text that speaks to the model in the user's place. It has no authority either way: see messages/untrusted.ts.
 */
function flags(content: string, { callId, name }: OutputRequest, turn: number): NewOllmEvent[] {
  const rule = detectInjection(content);
  if (rule === undefined) return [];
  const details = `In the output of ${name}: ${INJECTION_RULES[rule]}`;
  return [{ type: 'moderation.flagged', turn, data: { subject: callId, rule: `injection:${rule}`, details } }];
}

interface Clean {
  /** Empty where the output is not text. */
  readonly text: string;
  /** Output that is not text. */
  readonly bytes?: Uint8Array;
}

/** Bytes that are not text are read as one character each, so that a key in them is found too. */
async function withoutSecrets(content: string | Uint8Array, scrub: Scrubber, redacts: boolean): Promise<Clean> {
  if (typeof content === 'string') return { text: await scrub.long(content) };
  if (content.length > READ_AT_ONCE) await breathe();
  if (isText(content)) return { text: await scrub.long(new TextDecoder().decode(content)) };
  if (!redacts) return { text: '', bytes: content };
  const text = Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('latin1');
  const clean = await scrub.long(text);
  return { text: '', bytes: clean === text ? content : Buffer.from(clean, 'latin1') };
}

/** Milliseconds for megabytes: others get their turn before and after. */
async function encoded(text: string): Promise<Uint8Array> {
  await breathe();
  const bytes = new TextEncoder().encode(text);
  await breathe();
  return bytes;
}

async function shown(display: string, scrub: Scrubber, options: Parameters<typeof cutOutput>[1]): Promise<string> {
  return (await cutOutput(await scrub.long(display), { ...options, omittedBytes: 0 })).llmContent;
}

function noteOfChange({ changedArgs }: OutputRequest, scrub: Scrubber): string {
  if (changedArgs === undefined) return '';
  return `${CHANGED_ARGUMENTS} ${JSON.stringify(scrub.json(changedArgs))}.\n`;
}

function notKept(bytes: number): string {
  return `The output, ${bytes} bytes, was not kept (retention.storeToolOutputs is off). Call the tool again if it is needed.`;
}
