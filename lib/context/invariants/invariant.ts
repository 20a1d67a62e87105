// A check of what is sent against the view that it was made of: what is wrong, in sentences. Pure.
import type { ViewState } from '../../projections/view.ts';
import type { Assembled } from '../assembled.ts';

export type Invariant = (view: ViewState, request: Assembled) => readonly string[];
