// Data that a vendor wants back unchanged with the next request: signatures of its reasoning, encrypted reasoning,
// marks on text and on calls. Kept as the `opaque` of a separate reasoning part, right after the part that it belongs
// to. It goes back only to the provider and model that made it, and only if its part is unchanged: a signature does not
// fit a text from which a secret was taken.
import { hash } from 'node:crypto';
import type { SharedV4ProviderMetadata } from '@ai-sdk/provider';
import { isObject, parseJson } from '../../platform/json.ts';

export type Opaque =
  /** Belongs to the reasoning text right before it. */
  | { readonly kind: 'reasoning'; readonly metadata: SharedV4ProviderMetadata; readonly digest: string }
  /** Belongs to the text right before it. */
  | { readonly kind: 'text'; readonly metadata: SharedV4ProviderMetadata }
  /** Belongs to the whole message: pieces of its reasoning, whose texts are in the message. */
  | {
      readonly kind: 'details';
      readonly metadata: SharedV4ProviderMetadata;
      readonly details: readonly unknown[];
      readonly digest: string;
    }
  /** Takes the place of the conversation before it. */
  | {
      readonly kind: 'compaction';
      readonly metadata: SharedV4ProviderMetadata;
      readonly items: readonly CompactedItem[];
    }
  /** Belongs to a call of the same message. */
  | { readonly kind: 'call'; readonly metadata: SharedV4ProviderMetadata; readonly callId: string };

/** A piece of a vendor's compaction: words of the user that it kept, or data that only the vendor can read. */
export type CompactedItem =
  | { readonly kind: 'user'; readonly text: string }
  | { readonly kind: 'custom'; readonly name: `${string}.${string}`; readonly options: SharedV4ProviderMetadata };

export function encodeOpaque(model: string, opaque: Opaque): string {
  return JSON.stringify({ model, ...opaque });
}

/** Undefined if another model made it, or if it is something else. */
export function decodeOpaque(text: string, model: string): Opaque | undefined {
  const value = parseJson(text);
  if (!isObject(value) || value.model !== model || !isObject(value.metadata)) return undefined;
  const metadata = value.metadata as SharedV4ProviderMetadata;
  switch (value.kind) {
    case 'reasoning':
      return typeof value.digest === 'string' ? { kind: 'reasoning', metadata, digest: value.digest } : undefined;
    case 'text':
      return { kind: 'text', metadata };
    case 'details': {
      const { details, digest } = value;
      if (!Array.isArray(details) || typeof digest !== 'string') return undefined;
      return { kind: 'details', metadata, details, digest };
    }
    case 'compaction':
      return Array.isArray(value.items) ? { kind: 'compaction', metadata, items: value.items } : undefined;
    case 'call':
      return typeof value.callId === 'string' ? { kind: 'call', metadata, callId: value.callId } : undefined;
    default:
      return undefined;
  }
}

/** Tells whether a text is still the one that was signed. */
export function digestOf(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 16);
}

/** `added` wins, vendor by vendor and member by member. */
export function mergeMetadata(
  known: SharedV4ProviderMetadata | undefined,
  added: SharedV4ProviderMetadata | undefined,
): SharedV4ProviderMetadata | undefined {
  if (added === undefined) return known;
  const merged: SharedV4ProviderMetadata = { ...known };
  for (const [vendor, members] of Object.entries(added)) merged[vendor] = { ...merged[vendor], ...members };
  return merged;
}
