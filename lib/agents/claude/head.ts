// What a list says of a session of Claude Code, from the first and the last of its records.
import type { HeadDraft, JsonObject } from '../agent.ts';
import { copyMarkIn } from '../copy-mark.ts';
import { nonEmpty, objectIn, objectsIn, saysSomething, textIn } from '../members.ts';
import { forkedFromIn } from './fork.ts';
import { divide } from './injected.ts';
import { isMadeByProgram } from './made-by-program.ts';

export function headFromStart(record: JsonObject, head: HeadDraft): boolean {
  head.startedAt ??= nonEmpty(record.timestamp);
  head.cwd ??= nonEmpty(record.cwd);
  if (record.type === 'ollm-handover') head.copyMark ??= copyMarkIn(record);
  if (record.type === 'user' && head.firstPrompt === undefined) {
    const prompt = promptOf(record);
    if (prompt !== undefined) head.firstPrompt = prompt;
  }
  if (record.type !== 'assistant') return false;
  // Copied answers carry the id of the session that they come from.
  head.forkedFrom ??= forkedFromIn(record);
  return head.firstPrompt !== undefined && head.cwd !== undefined;
}

function promptOf(record: JsonObject): string | undefined {
  const content = objectIn(record.message)?.content;
  if (objectsIn(content).some(({ type }) => type === 'tool_result')) return undefined;
  const texts = typeof content === 'string' ? [content] : objectsIn(content).map(({ text }) => textIn(text) ?? '');
  const { typed } = divide(
    record,
    texts.filter(saysSomething).map((text) => ({ type: 'text', text })),
  );
  return typed.find((part) => part.type === 'text')?.text;
}

/** A title of the user's goes before one that the program made. */
export function headFromEnd(record: JsonObject, head: HeadDraft): boolean {
  head.lastActivity ??= nonEmpty(record.timestamp);
  head.branch ??= nonEmpty(record.gitBranch);
  head.version ??= nonEmpty(record.version);
  if (record.type === 'assistant' && head.model === undefined) {
    if (!isMadeByProgram(record.message)) head.model = nonEmpty(objectIn(record.message)?.model);
  }
  const custom = record.type === 'custom-title' ? nonEmpty(record.customTitle) : undefined;
  if (custom !== undefined) head.title = custom;
  if (record.type === 'ai-title') head.title ??= nonEmpty(record.aiTitle);
  return custom !== undefined && head.model !== undefined;
}
