// Items of a conversation as text for a summary. Long outputs of tools are cut: the answers after them contain their
// meaning.
import type { Part } from '../../messages/index.ts';
import type { ViewCall, ViewItem, ViewMessage } from '../../projections/view.ts';
import { cutText } from './cut-text.ts';

/** More of one message or output is cut. */
const MAX_MESSAGE_TOKENS = 4_000;
const MAX_OUTPUT_TOKENS = 600;
const MAX_ARGUMENT_TOKENS = 300;

const SPEAKERS: Readonly<Record<ViewMessage['role'], string>> = {
  user: 'User',
  assistant: 'Assistant',
  system: 'Note',
};

/** A paragraph; empty for an item without text. */
export function itemText(item: ViewItem): string {
  switch (item.kind) {
    case 'message':
      return messageText(item);
    case 'call':
      return callText(item);
    case 'retrieval':
      return item.chunks
        .map(({ source, text }) => `Found in ${source}: ${cutText(text, MAX_OUTPUT_TOKENS)}`)
        .join('\n');
  }
}

export function partsText(parts: readonly Part[]): string {
  return parts
    .map(partText)
    .filter((text) => text !== '')
    .join('\n');
}

function partText(part: Part): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'file':
      return `[file ${part.name}]`;
    case 'image':
      return '[image]';
    case 'reasoning':
      return '';
  }
}

function messageText({ role, parts }: ViewMessage): string {
  const text = partsText(parts);
  return text === '' ? '' : `${SPEAKERS[role]}: ${cutText(text, MAX_MESSAGE_TOKENS)}`;
}

function callText({ name, args, result }: ViewCall): string {
  const call = `Call: ${name} ${cutText(JSON.stringify(args) ?? '', MAX_ARGUMENT_TOKENS)}`;
  if (result === undefined) return call;
  const output = result.binary ? '[binary]' : cutText(result.content, MAX_OUTPUT_TOKENS);
  return `${call}\nResult (${result.status}): ${output}`;
}
