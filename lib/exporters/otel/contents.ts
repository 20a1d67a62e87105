// Texts as the semantic conventions have them: a list of messages with their parts, as JSON in one attribute.
import type { Part } from '../../messages/index.ts';

interface ContentMessage {
  readonly role: string;
  readonly parts: readonly Readonly<Record<string, string>>[];
  readonly finish_reason?: string | undefined;
}

export function promptMessages(text: string, maxContent?: number): string {
  return JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: cutText(text, maxContent) }] }]);
}

/** The answer with more parts. `before`: the attribute until now. */
export function answerMessages(
  before: unknown,
  { parts, reason }: { readonly parts: readonly Part[]; readonly reason: string | undefined },
  maxContent?: number,
): string {
  const [earlier]: ContentMessage[] = typeof before === 'string' ? JSON.parse(before) : [];
  const message: ContentMessage = {
    role: 'assistant',
    parts: [...(earlier?.parts ?? []), ...parts.flatMap((part) => contentPart(part, maxContent))],
    finish_reason: reason ?? earlier?.finish_reason,
  };
  return JSON.stringify([message]);
}

function contentPart(part: Part, maxContent: number | undefined): ContentMessage['parts'] {
  if (part.type === 'image' || part.type === 'file') {
    return [{ type: 'file', mime_type: part.mediaType, modality: part.type === 'image' ? 'image' : 'document' }];
  }
  return part.text === undefined ? [] : [{ type: part.type, content: cutText(part.text, maxContent) }];
}

/** `maxContent`: at most this number of UTF-16 units. Half of a pair, which no attribute can hold, becomes U+FFFD. */
export function cutText(text: string, maxContent = Number.POSITIVE_INFINITY): string {
  return (text.length > maxContent ? `${text.slice(0, maxContent)}…` : text).toWellFormed();
}
