// Whatever came from outside stands between delimiters that it cannot have written itself.

import { labelFor } from '../../messages/untrusted.ts';
import type { ViewItem } from '../../projections/view.ts';
import type { ModelMessage } from '../../providers/provider.ts';
import type { Invariant } from './invariant.ts';

export const untrustedIsDelimited: Invariant = ({ context }, { system, messages, items }) => {
  const quoted = new Set([system, ...messages.flatMap(textsOf)].flatMap(quotedLabels));
  const entries = context.entries.filter(({ trusted }) => !trusted).map(({ content }) => content);
  return [...entries, ...items.flatMap(outsideTexts)]
    .filter((text) => text !== '' && !quoted.has(labelFor(text)))
    .map((text) => `Text from outside is not delimited: ${JSON.stringify(text.slice(0, 40))}.`);
};

function outsideTexts(item: ViewItem): readonly string[] {
  switch (item.kind) {
    case 'message':
      if (item.trusted || item.role === 'assistant') return [];
      return item.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    case 'call':
      return item.result === undefined || item.result.binary ? [] : [item.result.content];
    case 'retrieval':
      return item.chunks.map(({ text }) => text);
  }
}

/** Labels of the quotations in a text that hold what their label is the fingerprint of. What stands inside is not looked at. */
function quotedLabels(text: string): readonly string[] {
  const labels: string[] = [];
  /** Known once an end was looked for in vain: so no number of beginnings takes as many looks at all of the text. */
  let ended: ReadonlySet<string> | undefined;
  /** A quotation is gone over once. Who writes beginnings with one end for all of them would have the text hashed for each. */
  let left = TIMES_OVER * text.length;
  for (let start = text.indexOf(OPENING); start >= 0 && left >= 0; ) {
    const { label, inside } = openedAt(text, start);
    const mayEnd = label !== '' && ended?.has(label) !== false;
    const end = mayEnd ? text.indexOf(`\n<<<end ${label}>>>`, inside) : -1;
    if (mayEnd) left -= (end < 0 ? text.length : end) - inside;
    if (mayEnd && end < 0) ended ??= endedLabels(text);
    const isQuotation = end >= 0 && labelFor(text.slice(inside, end)) === label;
    if (isQuotation) labels.push(label);
    start = text.indexOf(OPENING, isQuotation ? end : inside);
  }
  return labels;
}

const TIMES_OVER = 8;
const OPENING = '<<<untrusted ';
/** Without a line that is gone over anew from each of its beginnings: what a quotation is has no brackets in it, and is short. */
const OPENED = /<<<untrusted ([0-9a-f]+) [^\n<>]*>>>\n/y;

/** No label where it is none. */
function openedAt(text: string, start: number): { readonly label: string; readonly inside: number } {
  OPENED.lastIndex = start;
  const label = OPENED.exec(text)?.[1];
  return label === undefined ? { label: '', inside: start + OPENING.length } : { label, inside: OPENED.lastIndex };
}

function endedLabels(text: string): ReadonlySet<string> {
  return new Set(Array.from(text.matchAll(/<<<end ([0-9a-f]+)>>>/g), ([, label]) => label!));
}

function textsOf(message: ModelMessage): readonly string[] {
  if (message.role === 'tool') return message.results.map(({ content }) => content);
  return message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
}
