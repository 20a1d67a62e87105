// `ollm show ID`: all that is known of one session without opening it for writing.
import type { Damage, Holder } from '../journal/types.ts';
import type { BudgetState } from '../projections/budget.ts';
import type { App } from './app.ts';
import type { SessionRow } from './list-sessions.ts';

export interface SessionDetails extends SessionRow {
  readonly location: string;
  readonly holder: Holder | undefined;
  readonly budget: BudgetState;
  readonly events: number;
  readonly damage: readonly Damage[];
  readonly parent: { readonly sessionId: string; readonly seq: number } | undefined;
  readonly previous: string | undefined;
  readonly promptFile: string | undefined;
}

export function showSession(_app: App, _reference: string): SessionDetails {
  throw new TypeError('not there yet');
}
