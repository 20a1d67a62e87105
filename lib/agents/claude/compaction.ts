// A compaction of Claude Code: a boundary, then its summary in the role of the user. Older records stay in the file.
import type { JsonObject } from '../agent.ts';
import { addCompactionBefore } from '../compaction.ts';
import { countIn, objectIn, shortText } from '../members.ts';
import { addInjected } from '../said.ts';
import { type ClaudeGiven, firstOf } from './state.ts';

/** A boundary says what a compaction did; its summary follows. */
export function readBoundary({ compactMetadata }: JsonObject, { state }: ClaudeGiven): void {
  const metadata = objectIn(compactMetadata);
  state.boundary = {
    by: metadata?.trigger === 'manual' ? 'user' : 'auto',
    tokensBefore: countIn(metadata?.preTokens),
    tokensAfter: countIn(metadata?.postTokens),
    keptFrom: shortText(objectIn(metadata?.preservedSegment)?.headUuid),
  };
}

/** The summary follows its boundary. Everything before is covered but the records that the boundary names. */
export function readCompactSummary(summary: string, given: ClaudeGiven): void {
  const { boundary } = given.state;
  given.state.boundary = undefined;
  // In older versions a compaction began another file with it: there is nothing here that it covers.
  if (given.seq < 2) {
    addInjected(summary, given);
    return;
  }
  const kept = boundary?.keptFrom === undefined ? undefined : firstOf(given.state, boundary.keptFrom);
  addCompactionBefore(kept, { ...boundary, summary }, given);
}
