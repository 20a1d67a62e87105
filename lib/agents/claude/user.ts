// What is in the role of the user: what the user typed, results of calls, and what the program put there.
import type { JsonObject } from '../agent.ts';
import { objectIn, objectsIn } from '../members.ts';
import { readBlocks, textOfContent, textOfParts } from './blocks.ts';
import { readCompactSummary } from './compaction.ts';
import { divide, isInterruption } from './injected.ts';
import { readResult } from './result.ts';
import type { ClaudeGiven } from './state.ts';
import { beginTurn, endTurn } from './turns.ts';
import { addUserMessage } from './user-message.ts';

export function readUser(record: JsonObject, given: ClaudeGiven): void {
  const message = objectIn(record.message);
  const { content } = message ?? {};
  if (record.isCompactSummary === true) {
    readCompactSummary(textOfContent(content), given);
    return;
  }
  for (const block of objectsIn(content)) if (block.type === 'tool_result') readResult(record, block, given);
  const { parts, attachments } = readBlocks(content, given);
  const isBesideResult = objectsIn(content).some(({ type }) => type === 'tool_result');
  const { typed, injected } = isBesideResult ? { typed: [], injected: parts } : divide(record, parts);
  if (typed.length > 0) beginTurn(record, textOfParts(typed), given);
  if (injected.length > 0) addUserMessage(injected, { isSynthetic: true, attachments }, given);
  if (typed.length > 0) addUserMessage(typed, { isSynthetic: given.state.isSubagent === true, attachments }, given);
  if (isInterruption(textOfParts(injected))) endTurn(given, 'cancelled');
}
