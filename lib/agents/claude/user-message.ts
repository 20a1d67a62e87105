// A message in the role of the user, as an event.
import type { Part } from '../../messages/index.ts';
import type { Blocks } from './blocks.ts';
import type { ClaudeGiven } from './state.ts';

export function addUserMessage(
  parts: readonly Part[],
  { isSynthetic, attachments = [] }: { readonly isSynthetic: boolean; readonly attachments?: Blocks['attachments'] },
  given: ClaudeGiven,
): void {
  const blobs = new Set(parts.map((part) => (part.type === 'image' ? part.blob : '')));
  const own = attachments.filter(({ blob }) => blobs.has(blob));
  given.add({
    type: 'message.added',
    data: {
      role: 'user',
      parts: [...parts],
      trusted: false,
      ...(isSynthetic ? { synthetic: true as const } : {}),
    },
    attachments: own.length === 0 ? undefined : own,
  });
}
