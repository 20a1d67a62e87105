// Translates the stream of a vendor's package into signals, with one translator for each answer. Data that the vendor
// wants back unchanged becomes opaque reasoning right after the part that it belongs to.
import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from '@ai-sdk/provider';
import type { Ids } from '../../platform/index.ts';
import { isObject } from '../../platform/json.ts';
import type { Failures } from '../http/failures.ts';
import { objectIn } from '../http/read-answer.ts';
import { jsonOrText } from '../json-or-text.ts';
import type { FinishReason, ModelRequest, ProviderSignal } from '../provider.ts';
import { digestOf, encodeOpaque, mergeMetadata, type Opaque } from './opaque.ts';
import { addDetails, textOfDetails, withoutTexts } from './reasoning-details.ts';
import { toUsage } from './usage.ts';
import type { Vendor } from './vendor.ts';
import { knownCallIds, toolNames } from './wire-names.ts';

interface TranslatorOptions {
  readonly ids: Ids;
  readonly failures: Pick<Failures, 'failed' | 'cutOff'>;
  readonly inputOf?: Vendor['inputOf'];
  readonly detailsOf?: Vendor['detailsOf'];
}

interface Block {
  text: string;
  metadata: SharedV4ProviderMetadata | undefined;
}

type BlockPart = Extract<LanguageModelV4StreamPart, { type: `${'text' | 'reasoning'}-${'start' | 'delta' | 'end'}` }>;

/** Takes one part after the other. After `finish` nothing is taken any more. */
export class SignalTranslator {
  readonly #model: string;
  readonly #options: TranslatorOptions;
  readonly #nameOf: (wireName: string) => string;
  readonly #takenIds: Set<string>;
  /** Texts and thoughts that have begun and not ended, by kind and id. */
  readonly #blocks = new Map<string, Block>();
  /** The tool of each call that is being written, by its id. */
  readonly #inputs = new Map<string, string>();
  readonly #details: Readonly<Record<string, unknown>>[] = [];
  /** All of the reasoning that was shown, where there are pieces of it. */
  #reasoned = '';
  #calls = 0;
  #knowsInput = false;
  /** The chunk of an error as the vendor wrote it: the packages pass on only its message. */
  #rawError: object | undefined;

  constructor(
    { model, tools, messages }: Pick<ModelRequest, 'model' | 'tools' | 'messages'>,
    options: TranslatorOptions,
  ) {
    this.#model = model;
    this.#options = options;
    this.#nameOf = toolNames(tools);
    this.#takenIds = knownCallIds(messages);
  }

  take(part: LanguageModelV4StreamPart): readonly ProviderSignal[] {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
        this.#block(part);
        return [];
      case 'text-delta':
      case 'reasoning-delta':
        this.#block(part).text += part.delta;
        if (part.delta === '') return [];
        if (part.type === 'reasoning-delta') this.#reasoned += part.delta;
        return [{ type: part.type === 'text-delta' ? 'text' : 'reasoning', text: part.delta }];
      case 'text-end':
      case 'reasoning-end':
        return this.#ended(part);
      case 'tool-call':
        return part.providerExecuted ? [] : this.#called(part);
      case 'tool-input-start':
        this.#inputs.set(part.id, this.#nameOf(part.toolName));
        return [this.#input(part.id, '')];
      case 'tool-input-delta':
        return [this.#input(part.id, part.delta)];
      case 'ping':
        return [{ type: 'reasoning' }];
      case 'raw':
        return this.#raw(part.rawValue);
      case 'error':
        // A piece that the package does not understand is passed over; the vendor's own errors are not.
        if (this.#rawError === undefined && isValidation(part.error)) return [];
        throw this.#options.failures.failed(this.#rawError ?? part.error);
      case 'finish':
        return this.#finished(part);
      default:
        return [];
    }
  }

  #block(part: BlockPart): Block {
    const key = `${part.type.startsWith('text')} ${part.id}`;
    const block = this.#blocks.get(key) ?? { text: '', metadata: undefined };
    block.metadata = mergeMetadata(block.metadata, part.providerMetadata);
    if (part.type.endsWith('-end')) this.#blocks.delete(key);
    else this.#blocks.set(key, block);
    return block;
  }

  #ended(part: BlockPart): readonly ProviderSignal[] {
    const { text, metadata } = this.#block(part);
    if (part.type === 'text-end') {
      const kept = withoutItemIds(metadata);
      return kept ? [this.#opaque({ kind: 'text', metadata: kept })] : [];
    }
    return metadata ? [this.#opaque({ kind: 'reasoning', metadata, digest: digestOf(text) })] : [];
  }

  #input(key: string, text: string): ProviderSignal {
    return { type: 'tool-input', key, name: this.#inputs.get(key) ?? '', text };
  }

  #called(part: Extract<LanguageModelV4StreamPart, { type: 'tool-call' }>): readonly ProviderSignal[] {
    this.#calls += 1;
    const callId = this.#ownId(part.toolCallId);
    const metadata = withoutItemIds(part.providerMetadata);
    const args = part.input.trim() === '' ? {} : jsonOrText(part.input);
    return [
      ...(metadata ? [this.#opaque({ kind: 'call', metadata, callId })] : []),
      { type: 'tool-call', call: { callId, name: this.#nameOf(part.toolName), args } },
    ];
  }

  /** Some servers start counting their calls from the beginning in each answer. */
  #ownId(callId: string): string {
    const id = callId !== '' && !this.#takenIds.has(callId) ? callId : `call-${this.#options.ids.token()}`;
    this.#takenIds.add(id);
    return id;
  }

  #raw(chunk: unknown): readonly ProviderSignal[] {
    this.#rawError = errorOf(chunk);
    const usage = this.#knowsInput ? undefined : this.#options.inputOf?.(chunk);
    this.#knowsInput ||= usage !== undefined;
    return [...(usage === undefined ? [] : [{ type: 'input-usage' as const, usage }]), ...this.#detailed(chunk)];
  }

  /** Takes pieces of reasoning; shows those that come without plain text. */
  #detailed(chunk: unknown): readonly ProviderSignal[] {
    const found = this.#options.detailsOf?.(chunk);
    if (found === undefined) return [];
    addDetails(this.#details, found.pieces);
    const text = found.areShown ? '' : textOfDetails(found.pieces);
    this.#reasoned += text;
    return text === '' ? [] : [{ type: 'reasoning', text }];
  }

  /** Kept where their texts are the reasoning of the message, out of which they are put together again. */
  #keptDetails(): readonly ProviderSignal[] {
    const text = textOfDetails(this.#details);
    if (this.#details.length === 0 || (text !== '' && text !== this.#reasoned)) return [];
    const details = withoutTexts(this.#details);
    return [this.#opaque({ kind: 'details', metadata: {}, details, digest: digestOf(this.#reasoned) })];
  }

  #finished(part: Extract<LanguageModelV4StreamPart, { type: 'finish' }>): readonly ProviderSignal[] {
    const { unified, raw } = part.finishReason;
    // The packages end a stream that just stopped without saying why it did.
    if (unified === 'interrupted' || unified === 'error' || (unified === 'other' && raw === undefined))
      throw this.#options.failures.cutOff();
    const usage = toUsage(part.usage);
    const finish: Finish = this.#calls > 0 ? { reason: 'tool-calls' } : finishOf(unified, raw);
    return [
      ...this.#keptDetails(),
      ...(usage ? [{ type: 'usage' as const, usage }] : []),
      { type: 'finish', ...finish },
    ];
  }

  #opaque(opaque: Opaque): ProviderSignal {
    return { type: 'reasoning', opaque: encodeOpaque(this.#model, opaque) };
  }
}

/** The vendor stores nothing of the conversation, so the id that it gave a text or a call means nothing to it later. */
function withoutItemIds(metadata: SharedV4ProviderMetadata | undefined): SharedV4ProviderMetadata | undefined {
  const kept = Object.entries(metadata ?? {}).flatMap(([vendor, { itemId: _, ...members }]) => {
    const known = Object.entries(members).filter(([, value]) => value !== undefined && value !== null);
    return known.length === 0 ? [] : [[vendor, Object.fromEntries(known)] as const];
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function errorOf(chunk: unknown): object | undefined {
  const { error, type } = objectIn(chunk);
  if (isObject(error) || (typeof error === 'string' && error !== '')) return { error };
  return type === 'error' ? objectIn(chunk) : undefined;
}

function isValidation(error: unknown): boolean {
  return ['AI_TypeValidationError', 'AI_JSONParseError'].includes(String(objectIn(error).name));
}

interface Finish {
  readonly reason: FinishReason;
  readonly word?: string;
}

/** `raw`: the vendor's word, of which the packages take some for an ordinary end. */
function finishOf(unified: string, raw: string | undefined): Finish {
  if (raw === 'model_context_window_exceeded') return { reason: 'length', word: raw };
  if (raw === 'pause_turn') return { reason: 'other', word: raw };
  switch (unified) {
    case 'stop':
      return { reason: 'stop' };
    case 'length':
      return { reason: 'length', ...(raw !== undefined && raw !== 'length' && { word: raw }) };
    case 'content-filter':
      // A refusal of the model comes as a text of its own, after which the end is an ordinary one.
      return { reason: 'content-filter', word: raw === undefined || raw === 'stop' ? 'refusal' : raw };
    default:
      return { reason: 'other', ...(raw !== undefined && { word: raw }) };
  }
}
