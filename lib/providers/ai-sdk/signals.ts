// What a vendor's package streams, as our signals. One translator for one answer. What the vendor wants back unchanged
// comes out as opaque reasoning right after what it belongs to.
import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from '@ai-sdk/provider';
import type { Ids } from '../../platform/index.ts';
import type { FinishReason, ModelRequest, ProviderSignal } from '../provider.ts';
import { digestOf, encodeOpaque, mergeMetadata } from './opaque.ts';
import { toUsage } from './usage.ts';
import type { Vendor } from './vendor.ts';
import { knownCallIds, toolNames } from './wire-names.ts';

export interface StreamFailures {
  /** What the vendor said went wrong in the middle of its answer. */
  failed(error: unknown): Error;
  /** The stream ended, and its answer did not. */
  cutOff(): Error;
}

export interface TranslatorOptions {
  readonly ids: Ids;
  readonly failures: StreamFailures;
  readonly inputOf?: Vendor['inputOf'];
}

interface Block {
  text: string;
  metadata: SharedV4ProviderMetadata | undefined;
}

/** Takes one part after the other. After `finish` nothing is taken any more. */
export function createTranslator(
  request: Pick<ModelRequest, 'model' | 'tools' | 'messages'>,
  { ids, failures, inputOf }: TranslatorOptions,
): (part: LanguageModelV4StreamPart) => readonly ProviderSignal[] {
  const { model } = request;
  const nameOf = toolNames(request.tools);
  const takenIds = knownCallIds(request.messages);
  const blocks = new Map<string, Block>();
  let calls = 0;
  let knowsInput = false;
  /** The chunk of an error as the vendor wrote it: the packages hand on its message alone. */
  let rawError: object | undefined;

  const open = (kind: string, id: string, metadata: SharedV4ProviderMetadata | undefined): Block => {
    const key = `${kind} ${id}`;
    const block = blocks.get(key) ?? { text: '', metadata: undefined };
    block.metadata = mergeMetadata(block.metadata, metadata);
    blocks.set(key, block);
    return block;
  };
  const close = (kind: string, id: string, metadata: SharedV4ProviderMetadata | undefined): Block => {
    const block = open(kind, id, metadata);
    blocks.delete(`${kind} ${id}`);
    return block;
  };
  /** Some servers start counting their calls from the beginning in each answer. */
  const ownId = (callId: string): string => {
    const id = callId !== '' && !takenIds.has(callId) ? callId : `call-${ids.token()}`;
    takenIds.add(id);
    return id;
  };

  return (part) => {
    switch (part.type) {
      case 'text-start':
        open('text', part.id, part.providerMetadata);
        return [];
      case 'text-delta':
        open('text', part.id, part.providerMetadata);
        return part.delta === '' ? [] : [{ type: 'text', text: part.delta }];
      case 'text-end': {
        const metadata = withoutItemIds(close('text', part.id, part.providerMetadata).metadata);
        return metadata ? [opaque(encodeOpaque(model, { kind: 'text', metadata }))] : [];
      }
      case 'reasoning-start':
        open('reasoning', part.id, part.providerMetadata);
        return [];
      case 'reasoning-delta': {
        open('reasoning', part.id, part.providerMetadata).text += part.delta;
        return part.delta === '' ? [] : [{ type: 'reasoning', text: part.delta }];
      }
      case 'reasoning-end': {
        const { text, metadata } = close('reasoning', part.id, part.providerMetadata);
        if (!metadata) return [];
        return [opaque(encodeOpaque(model, { kind: 'reasoning', metadata, digest: digestOf(text) }))];
      }
      case 'tool-call': {
        if (part.providerExecuted) return [];
        calls += 1;
        const callId = ownId(part.toolCallId);
        const metadata = withoutItemIds(part.providerMetadata);
        const call = { callId, name: nameOf(part.toolName), args: parsed(part.input) };
        return [
          ...(metadata ? [opaque(encodeOpaque(model, { kind: 'call', metadata, callId }))] : []),
          { type: 'tool-call', call },
        ];
      }
      case 'ping':
      case 'tool-input-start':
      case 'tool-input-delta':
        return [{ type: 'reasoning' }];
      case 'raw': {
        rawError = errorIn(part.rawValue);
        const usage = knowsInput ? undefined : inputOf?.(part.rawValue);
        knowsInput ||= usage !== undefined;
        return usage === undefined ? [] : [{ type: 'input-usage', usage }];
      }
      case 'error':
        throw failures.failed(rawError ?? part.error);
      case 'finish': {
        const { unified, raw } = part.finishReason;
        // The packages end a stream that just stopped without saying why it did.
        if (unified === 'interrupted' || unified === 'error' || (unified === 'other' && raw === undefined))
          throw failures.cutOff();
        const usage = toUsage(part.usage);
        const reason = calls > 0 ? 'tool-calls' : finishReason(unified);
        return [...(usage ? [{ type: 'usage' as const, usage }] : []), { type: 'finish', reason }];
      }
      default:
        return [];
    }
  };
}

function errorIn(chunk: unknown): object | undefined {
  const { error } = (chunk ?? {}) as { error?: unknown };
  return typeof error === 'object' && error !== null ? { error } : undefined;
}

function opaque(text: string): ProviderSignal {
  return { type: 'reasoning', opaque: text };
}

/** The vendor keeps nothing of ours, so the id that it gave a text or a call means nothing to it later. */
function withoutItemIds(metadata: SharedV4ProviderMetadata | undefined): SharedV4ProviderMetadata | undefined {
  const kept = Object.entries(metadata ?? {}).flatMap(([vendor, { itemId: _, ...members }]) => {
    const known = Object.entries(members).filter(([, value]) => value !== undefined && value !== null);
    return known.length === 0 ? [] : [[vendor, Object.fromEntries(known)] as const];
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/**
 * Arguments that are not JSON are handed on as the text that came: the check of the tool's schema then tells the model.
 */
function parsed(input: string): unknown {
  if (input.trim() === '') return {};
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}

function finishReason(reason: string): FinishReason {
  return reason === 'stop' || reason === 'length' || reason === 'content-filter' ? reason : 'other';
}
