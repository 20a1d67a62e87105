// The content of a message: a text, or a list of blocks.
import type { JsonObject } from '../agent.ts';
import { textIn as textOf } from '../members.ts';

/** '' of any other block. */
export function textIn({ type, text }: JsonObject): string {
  return type === 'text' ? (textOf(text) ?? '') : '';
}
