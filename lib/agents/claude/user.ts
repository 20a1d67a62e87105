// Records in the role of the user: typed messages, results of calls, and texts that the program put there.
import type { JsonObject } from '../agent.ts';
import { textOf } from '../content.ts';
import { objectIn, objectsIn } from '../members.ts';
import { addUserMessage } from '../said.ts';
import { endTurn } from '../turns.ts';
import { readBlocks, textOfContent } from './blocks.ts';
import { readCompactSummary } from './compaction.ts';
import { divide, isInterruption } from './injected.ts';
import { readResult } from './result.ts';
import type { ClaudeGiven } from './state.ts';
import { beginPrompt } from './turns.ts';

export function readUser(record: JsonObject, given: ClaudeGiven): void {
  const message = objectIn(record.message);
  const { content } = message ?? {};
  if (record.isCompactSummary === true) {
    readCompactSummary(textOfContent(content), given);
    return;
  }
  for (const block of objectsIn(content)) if (block.type === 'tool_result') readResult(record, block, given);
  const read = readBlocks(content, given);
  const isBesideResult = objectsIn(content).some(({ type }) => type === 'tool_result');
  const { typed, injected } = isBesideResult ? { typed: [], injected: read.parts } : divide(record, read.parts);
  if (typed.length > 0) beginPrompt(record, textOf(typed), given);
  addUserMessage({ content: read, parts: injected, isSynthetic: true }, given);
  addUserMessage({ content: read, parts: typed, isSynthetic: given.state.isSubagent === true }, given);
  if (isInterruption(textOf(injected))) endTurn(given, 'cancelled');
}
