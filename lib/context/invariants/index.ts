// What holds for every request, whatever the session went through. One file each.
import type { ViewState } from '../../projections/view.ts';
import type { Assembled } from '../assembled.ts';
import { callsHaveResults } from './calls-have-results.ts';
import type { Invariant } from './invariant.ts';
import { nothingCoveredAppears } from './nothing-covered-appears.ts';
import { systemPromptFirst } from './system-prompt-first.ts';

const INVARIANTS: readonly Invariant[] = [callsHaveResults, nothingCoveredAppears, systemPromptFirst];

export function violations(view: ViewState, request: Assembled): readonly string[] {
  return INVARIANTS.flatMap((invariant) => invariant(view, request));
}
