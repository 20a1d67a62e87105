// Which texts in the role of the user the user did not type: Codex puts instructions, the surroundings, notices of
// interruption and of subagents there.
import type { Part } from '../../messages/index.ts';
import { saysSomething } from '../members.ts';

const WRAPPERS =
  /^\s*(?:# AGENTS\.md instructions|<(?:environment_context|user_instructions|turn_aborted|subagent_notification|skill|skills_instructions|permissions instructions|collaboration_mode|apps_instructions|INSTRUCTIONS|user_shell_command|model_switch|hook_prompt)[>\s])/;
/** Around a picture: its name and path, and the end of it. */
const PICTURE_WRAPPER = /^\s*<\/?image(?:\s[^>]*)?>\s*$/;
/** The text that an editor puts before a typed message. */
const EDITOR_CONTEXT = /^\s*# Context from my IDE setup:[\s\S]*?\n## My request for Codex:\s*\n/;

export function isInjected(text: string): boolean {
  return WRAPPERS.test(text);
}

export function isPictureWrapper(text: string): boolean {
  return PICTURE_WRAPPER.test(text);
}

/** The typed message, without the editor's account of its tabs. */
export function typedOf(text: string): string {
  return text.replace(EDITOR_CONTEXT, '');
}

/** The typed message, and the texts that a program put there, in the order of the parts. */
export function divide(parts: readonly Part[]): {
  readonly typed: readonly Part[];
  readonly injected: readonly string[];
} {
  const typed: Part[] = [];
  const injected: string[] = [];
  for (const part of parts) {
    if (part.type !== 'text') {
      typed.push(part);
      continue;
    }
    const text = isInjected(part.text) ? '' : typedOf(part.text);
    const before = part.text.slice(0, part.text.length - text.length);
    if (before !== '') injected.push(before);
    if (saysSomething(text)) typed.push({ type: 'text', text });
  }
  return { typed, injected };
}
