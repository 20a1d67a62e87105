// The knowledge of a conversation that its blocks share, and the actions that they offer.
import type { ModelChoice, Outline } from '../api/types.ts';
import type { ShownBlock } from '../model/blocks.ts';
import type { Unfolded } from '../state/unfolded.ts';
import type { MenuItem } from './menu.tsx';
import type { Models } from './model-menus.tsx';

export type PromptBlock = Extract<ShownBlock, { kind: 'prompt' }>;
export type Version = Outline['versions'][number][number];

/** What can be said in a session of one's own. */
export interface TurnActions {
  /** No turn runs: the conversation can continue from elsewhere. */
  readonly isIdle: boolean;
  readonly models: Models;
  /** Asks the same again in the place of the turn of this event. */
  again(seq: number, model?: ModelChoice): void;
  goOn(): void;
  /** Takes a prompt into the composer, to say it in another way. */
  edit(block: PromptBlock): void;
  /** The prompts that were said in the place of this one, itself among them. */
  versionsOf(seq: number): readonly Version[];
  show(version: Version): void;
}

export interface BlockContext {
  /** Address of the session. */
  readonly address: string;
  /** Name of what answers. */
  readonly speaker: string;
  /** How many the session has. */
  readonly events: number;
  /** The event that a link led to. */
  readonly target: number | undefined;
  readonly unfolded: Unfolded;
  readonly onJump: (seq: number) => void;
  /** What can be done at an event. */
  readonly actionsAt: (seq: number) => readonly MenuItem[];
  /** Goes back to an undone stretch; undefined where that is not possible. */
  readonly onReturn: ((seq: number) => void) | undefined;
  /** Undefined where nothing can be said: in a session of another program, in the past, to a guest. */
  readonly turns: TurnActions | undefined;
  /** The end of the newest turn, unless a later one has begun. */
  readonly lastEnd: number | undefined;
}
