// What a hook reads on standard input: one JSON document. docs/hooks.md is the reference. Members are added under the
// same version; where one changes its meaning or goes, the version rises.
import type { HookedCall, HookedResult } from './hooks.ts';

export const HOOK_NAMES = ['sessionStart', 'beforeTurn', 'beforeTool', 'afterTool'] as const;
export type HookName = (typeof HOOK_NAMES)[number];

const QUESTION_VERSION = 1;

/** Facts that are known on every occasion. */
export interface HookPlace {
  /** Id of the session. */
  readonly session: string;
  /** Root of the project. */
  readonly project: string;
  /** Where the hook runs. */
  readonly cwd: string;
}

/** An occasion, with its data. */
export type HookOccasion =
  | { readonly hook: 'sessionStart'; readonly start: 'new' | 'resumed' }
  | { readonly hook: 'beforeTurn'; readonly turn: number; readonly input: string }
  | { readonly hook: 'beforeTool'; readonly turn: number; readonly call: HookedCall }
  | { readonly hook: 'afterTool'; readonly turn: number; readonly call: HookedCall; readonly result: HookedResult };

/** The text that goes to the hook, ended by a line feed. */
export function questionOf(occasion: HookOccasion, { session, project, cwd }: HookPlace): string {
  const { hook, ...about } = occasion;
  return `${JSON.stringify({ hook, version: QUESTION_VERSION, session, project, cwd, ...about })}\n`;
}

/** Whether a veto on this occasion can prevent something. */
export function canVeto(hook: HookName): boolean {
  return hook !== 'sessionStart';
}

/**
 * Whether a failure of this hook counts as a veto, because its answer is unknown. After a tool the effect has already
 * happened.
 */
export function isGuard(hook: HookName): boolean {
  return hook === 'beforeTurn' || hook === 'beforeTool';
}
