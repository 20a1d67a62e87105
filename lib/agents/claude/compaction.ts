// A compaction of Claude Code: a boundary, then its summary in the role of the user. Older records stay in the file.
import type { JsonObject } from '../agent.ts';
import { countIn, objectIn } from '../members.ts';
import { textPart } from './blocks.ts';
import { type ClaudeGiven, firstOf, shortText } from './state.ts';
import { addUserMessage } from './user-message.ts';

/** About so many characters make a token. */
const CHARACTERS_PER_TOKEN = 4;

/** A boundary says what a compaction did; its summary follows. */
export function readBoundary({ compactMetadata }: JsonObject, { state }: ClaudeGiven): void {
  const metadata = objectIn(compactMetadata);
  state.boundary = {
    by: metadata?.trigger === 'manual' ? 'user' : 'auto',
    tokensBefore: countIn(metadata?.preTokens) ?? 0,
    tokensAfter: countIn(metadata?.postTokens),
    keptFrom: shortText(objectIn(metadata?.preservedSegment)?.headUuid),
  };
}

/** The summary follows its boundary. Everything before is covered but the records that the boundary names. */
export function readCompactSummary(summary: string, given: ClaudeGiven): void {
  const { state, seq } = given;
  const { boundary } = state;
  const head = boundary?.keptFrom === undefined ? undefined : firstOf(state, boundary.keptFrom);
  const keptFrom = Math.max(state.keptFrom, Math.min(seq, head ?? seq));
  state.boundary = undefined;
  if (summary === '') return;
  if (seq > 1) {
    const to = Math.max(1, keptFrom - 1);
    const covers = { from: Math.min(state.keptFrom, to), to };
    const tokensAfter = boundary?.tokensAfter ?? Math.ceil(summary.length / CHARACTERS_PER_TOKEN);
    given.add({
      type: 'compaction.completed',
      data: {
        strategy: 'summarize',
        covers,
        keptFrom,
        summary,
        tokensBefore: boundary?.tokensBefore ?? tokensAfter,
        tokensAfter,
        by: boundary?.by ?? 'auto',
      },
    });
    state.keptFrom = keptFrom;
    return;
  }
  // In older versions a compaction began another file with it: there is nothing here that it covers.
  addUserMessage([textPart(summary)], { isSynthetic: true }, given);
}
