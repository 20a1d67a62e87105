// Which messages in the role of the user the user did not type: Gemini CLI puts the surroundings, the word to continue
// and the text of its command /init there, and the results of calls, which are at the calls as well.
import type { JsonObject } from '../agent.ts';
import { objectIn, objectsIn, saysSomething, textIn } from '../members.ts';

const WRAPPERS =
  /^\s*(?:<(?:session_context|hook_context|untrusted_context|state_snapshot)>|System: Please continue\.?\s*$|You are an AI agent that brings the power of Gemini directly into the terminal\.)/;
/** The line of the surroundings that names the first directory, as its versions have put it. */
const DIRECTORY =
  /^(?:- \*\*Workspace Directories:\*\*\s*\n\s*- |I'm currently working in the directory: |.*working in the following directories:\s*\n\s*- )(.+)$/m;
/** Surroundings are searched for in this many characters. */
const HEADING_CHARACTERS = 2000;

export function isInjected(text: string): boolean {
  return WRAPPERS.test(text);
}

export function directoryIn(text: string): string | undefined {
  return isInjected(text) ? DIRECTORY.exec(text.slice(0, HEADING_CHARACTERS))?.[1]?.trim() : undefined;
}

/** The texts of content, which is one text or a list of parts. */
export function textsOf(content: unknown): readonly string[] {
  if (typeof content === 'string') return saysSomething(content) ? [content] : [];
  return objectsIn(content).flatMap(({ text, thought }) => {
    const own = thought === true ? undefined : textIn(text);
    return saysSomething(own) ? [own] : [];
  });
}

/** The typed text: in the form that was shown, if a command became a longer text. */
export function typedOf(message: JsonObject): string | undefined {
  const texts = textsOf(message.content);
  if (texts.length === 0 || texts.every(isInjected)) return undefined;
  const shown = textsOf(message.displayContent);
  return (shown.length > 0 ? shown : texts.filter((text) => !isInjected(text))).join('\n');
}

/** The program's message after the user stopped it. */
export function isCancellation({ type, content }: JsonObject): boolean {
  return type === 'info' && /^\s*Request cancelled/.test(textIn(content) ?? '');
}

/** Whether all that it holds is results of calls. */
export function isOfResults(content: unknown): boolean {
  const parts = objectsIn(content);
  return parts.length > 0 && parts.every(({ functionResponse }) => objectIn(functionResponse) !== undefined);
}
