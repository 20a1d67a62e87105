// The system prompt is there, whole, and before everything else.

import { delimit } from '../../messages/untrusted.ts';
import type { ViewMessage } from '../../projections/view.ts';
import type { Invariant } from './invariant.ts';

export const systemPromptFirst: Invariant = ({ timeline }, { system }) => {
  let rest: string = system;
  const missing: string[] = [];
  for (const item of timeline.entries) {
    if (item.kind !== 'message' || !item.pinned) continue;
    const text = textOf(item);
    if (text.trim() === '') continue;
    // Only what joins two sections is passed over: a prompt may itself begin with white space.
    if (rest.startsWith(text)) rest = rest.slice(text.length).replace(/^\n\n/, '');
    else missing.push(`The system message ${item.seq} does not stand at the beginning.`);
  }
  return missing;
};

function textOf({ parts, trusted }: ViewMessage): string {
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  return trusted ? text : delimit(text, { what: 'system message' });
}
