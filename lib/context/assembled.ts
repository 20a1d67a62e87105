// What assembling gives: the parts of a request that come from the session, and what they were made of.
import type { ViewItem } from '../projections/view.ts';
import type { ModelMessage } from '../providers/provider.ts';

export interface Assembled {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  /** The items of the view that the messages were made of. */
  readonly items: readonly ViewItem[];
  /** What did not fit, the oldest. */
  readonly leftOut: {
    readonly messages: number;
    readonly tokens: number;
    /** Retrieved texts beyond what is sent of them. */
    readonly retrievals: number;
  };
  /** About how many tokens the request has, tool definitions included. */
  readonly tokens: number;
}
