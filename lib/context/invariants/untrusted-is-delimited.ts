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
  const ended = new Set(Array.from(text.matchAll(/<<<end ([0-9a-f]+)>>>/gu), ([, label]) => label));
  const labels: string[] = [];
  const opening = /<<<untrusted ([0-9a-f]+) [^\n]*>>>\n/gu;
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const label = match[1] ?? '';
    const end = ended.has(label) ? text.indexOf(`\n<<<end ${label}>>>`, opening.lastIndex) : -1;
    if (end < 0 || labelFor(text.slice(opening.lastIndex, end)) !== label) continue;
    labels.push(label);
    opening.lastIndex = end;
  }
  return labels;
}

function textsOf(message: ModelMessage): readonly string[] {
  if (message.role === 'tool') return message.results.map(({ content }) => content);
  return message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
}
