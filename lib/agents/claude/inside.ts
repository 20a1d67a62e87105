// Subagents inside of the file of their session, as older versions of Claude Code have them: records aside that follow
// each other from a first one, whose id is the key. Its text is the prompt of the call that started the subagent.
import type { JsonObject } from '../agent.ts';
import { insideAddress, insideKey, rememberInside } from '../inside.ts';
import { nonEmpty, objectIn, shortText, textIn } from '../members.ts';
import { keyOf } from '../record-key.ts';
import { textOfContent } from './blocks.ts';
import { type ClaudeState, headOf } from './state.ts';

const MAX_TASKS = 20;

/** Whether the subagent that is read has the record. */
export function isOfInside(record: JsonObject, state: ClaudeState): boolean {
  if (record.isSidechain !== true) return false;
  if (nonEmpty(record.agentId) !== undefined) return record.agentId === state.inside;
  if (record.uuid === state.inside) return true;
  const parent = nonEmpty(record.parentUuid) ?? nonEmpty(record.logicalParentUuid);
  return parent !== undefined && headOf(state, parent) !== undefined;
}

/** Takes in a record aside: the first one of a subagent, or another. */
export function seeAside({ agentId, parentUuid, uuid, message }: JsonObject, state: ClaudeState): void {
  const isFirst = nonEmpty(parentUuid) === undefined;
  const key = insideKey(agentId) ?? (isFirst ? insideKey(uuid) : undefined);
  if (key === undefined) return;
  rememberInside(state.insides, key);
  if (!isFirst) return;
  const prompt = keyOf(textOfContent(objectIn(message)?.content));
  const task = state.tasks.find(([, asked, known]) => asked === prompt && known === '');
  if (task !== undefined) task[2] = key;
}

/** Remembers a call that may start a subagent. */
export function seeTask(callId: unknown, input: unknown, { tasks }: ClaudeState): void {
  const prompt = textIn(objectIn(input)?.prompt);
  const id = shortText(callId);
  if (prompt === undefined || id === undefined) return;
  tasks.push([id, keyOf(prompt), '']);
  if (tasks.length > MAX_TASKS) tasks.shift();
}

/** The session of the subagent that a call started. */
export function startedBy(callId: string, { tasks, session }: ClaudeState): string | undefined {
  const key = tasks.findLast(([id]) => id === callId)?.[2];
  return key === undefined || key === '' ? undefined : insideAddress('claude', session, key);
}
