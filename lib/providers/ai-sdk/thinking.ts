// Which modes of thinking a model knows, by what its vendor's package would send for each: the packages know the models
// of their vendors, and turn a mode into an effort, a level or a budget. A mode that changes nothing is not offered.
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { THINKING_MODES, type ThinkingMode } from '../thinking.ts';

type Reasoning = LanguageModelV4CallOptions['reasoning'];

/** What would be sent. */
export interface DryRun {
  readonly body: string;
  /** Whether the package says that it sends something else than it was asked for. */
  readonly isOther: boolean;
}

export function reasoningOf(mode: ThinkingMode | undefined, most: Reasoning): Reasoning {
  if (mode === 'max' && most !== undefined) return most;
  return mode === 'off' ? 'none' : mode;
}

/** `dryRun`: of a plain request. */
export async function modesBy(dryRun: (thinking: ThinkingMode | undefined) => Promise<DryRun>) {
  const seen = new Set([(await dryRun(undefined)).body]);
  const degrees: ThinkingMode[] = [];
  for (const mode of THINKING_MODES) {
    if (mode === 'off') continue;
    const { body } = await dryRun(mode);
    if (!seen.has(body)) degrees.push(mode);
    seen.add(body);
  }
  if (degrees.length === 0) return [];
  const off = await dryRun('off');
  return off.isOther ? degrees : (['off', ...degrees] as const);
}
