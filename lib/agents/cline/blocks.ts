// The content of a message: a text, or a list of blocks.
import type { JsonObject } from '../agent.ts';
import { objectsIn, textIn as textOf } from '../members.ts';

/** A text by itself is one block. */
export function blocksIn(content: unknown): readonly JsonObject[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : objectsIn(content);
}

/** '' of any other block. */
export function textIn({ type, text }: JsonObject): string {
  return type === 'text' ? (textOf(text) ?? '') : '';
}
