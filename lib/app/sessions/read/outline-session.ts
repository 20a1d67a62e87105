// What a page shows of a conversation before it has read its events: outline and map. One replay.
import type { Damage, EventReader } from '../../../journal/types.ts';
import { budgetFold } from '../../../projections/budget.ts';
import { usedTokens } from '../../../projections/budget-report.ts';
import {
  type OutlineCompaction,
  type OutlinePrompt,
  type OutlineState,
  outlineFold,
} from '../../../projections/outline.ts';
import { type PromptVersion, promptVersions } from '../../../projections/prompt-versions.ts';
import { replay } from '../../../projections/replay.ts';
import type { App } from '../../app.ts';
import { findConversation, type ReadingOptions } from '../../find/find-session.ts';

export interface SessionOutline {
  /** seq of the newest event; −1 if there is none. */
  readonly head: number;
  readonly prompts: readonly (OutlinePrompt & { readonly isUndone?: true })[];
  readonly compactions: readonly OutlineCompaction[];
  /** Prompts that were said in the place of one another. */
  readonly versions: readonly (readonly PromptVersion[])[];
  /** Events that the model no longer sees: both ends belong to it. */
  readonly undone: readonly { readonly from: number; readonly to: number }[];
  /**
   * The first 100 places that could not be read; `after` is the seq of the event before the place, −1 if there is none.
   */
  readonly damage: readonly (Damage & { readonly after: number })[];
  /** A row for each `perRow` events; `length` from 0 to 1, by the square root of the characters. */
  readonly map: readonly {
    readonly kind: OutlineState['rows'][number]['kind'];
    readonly length: number;
    /** Which share of its calls failed, where one did. */
    readonly failed?: number;
  }[];
  readonly perRow: number;
  /** The next request to the model: its tokens, and the model's limit, if that is known. */
  readonly window: { readonly tokens: number; readonly limit: number | undefined };
}

const MAX_DAMAGE = 100;

/**
 * @example
 * const { prompts } = await outlineSession(app, 'claude:5f3c');
 * @throws OllmError SESSION_NOT_FOUND, SESSION_AMBIGUOUS, JOURNAL_EMPTY, JOURNAL_UNREADABLE
 */
export async function outlineSession(
  app: App,
  reference: string,
  { signal, imported }: ReadingOptions & { readonly signal?: AbortSignal } = {},
): Promise<SessionOutline> {
  const { read } = await findConversation(app, reference, { imported });
  return read((reader) => outlineOf(reader, signal));
}

async function outlineOf(reader: EventReader, signal: AbortSignal | undefined): Promise<SessionOutline> {
  const damage: (Damage & { after: number })[] = [];
  let after = -1;
  const watched: Pick<EventReader, 'id' | 'outcomes'> = {
    id: reader.id,
    async *outcomes(options) {
      for await (const batch of reader.outcomes(options)) {
        for (const outcome of batch) {
          if (outcome.kind === 'event') after = outcome.event.seq;
          else if (damage.length < MAX_DAMAGE) damage.push({ ...outcome.damage, after });
        }
        yield batch;
      }
    },
  };
  const { states } = await replay(watched, { outline: outlineFold, budget: budgetFold }, { signal });
  const { head, prompts, compactions, branches, rows, perRow } = states.outline;
  const undone = gapsIn(branches);
  const most = Math.max(1, ...rows.map(({ characters }) => characters));
  return {
    head,
    prompts: prompts.map(({ after: _, ...prompt }) =>
      isIn(undone, prompt.seq) ? { ...prompt, isUndone: true } : prompt,
    ),
    versions: promptVersions(states.outline),
    compactions,
    undone,
    damage,
    map: rows.map(({ kind, characters, ended = 0, failed = 0 }) => ({
      kind,
      length: Math.sqrt(characters / most),
      ...(failed > 0 && { failed: failed / ended }),
    })),
    perRow,
    window: { tokens: usedTokens(states.budget).count, limit: states.budget.limit },
  };
}

/** The gaps between the stretches of the path to here. */
function gapsIn({ stretches, from }: OutlineState['branches']): { from: number; to: number }[] {
  return stretches.flatMap((stretch, index) => {
    const next = stretches[index + 1]?.from ?? from;
    return next - stretch.to > 1 ? [{ from: stretch.to + 1, to: next - 1 }] : [];
  });
}

function isIn(spans: readonly { from: number; to: number }[], seq: number): boolean {
  return spans.some(({ from, to }) => from <= seq && seq <= to);
}
