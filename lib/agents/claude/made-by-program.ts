// Answers that no model gave: Claude Code says errors so, and fills a place in which a request needs an answer. What a
// model had said when the user stopped it is stored in the same form by versions around 2.1.92.
import { objectIn } from '../members.ts';
import { textOfContent } from './blocks.ts';

/** What such an answer has in the place of a model. */
const MODEL = '<synthetic>';
const FILLERS = ['No response requested.', '(no content)'];

export function isMadeByProgram(message: unknown): boolean {
  return objectIn(message)?.model === MODEL;
}

export function isFiller(message: unknown): boolean {
  return FILLERS.includes(textOfContent(objectIn(message)?.content).trim());
}
