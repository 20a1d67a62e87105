// What sessions of all programs cost, by day and by model: from what a sync has counted. A session counts on the day of
// its last activity, with the model that it was led with last.
import { formatAddress } from '../../../agents/address.ts';
import { figuresSince, type SessionFigures } from '../../../catalog/session-figures.ts';
import type { App } from '../../app.ts';
import { unusableCatalog } from '../import/sync-sessions.ts';

export interface Costs {
  /** RFC 3339. */
  readonly since: string;
  readonly sessions: readonly CostOfSession[];
  readonly total: CostSum;
  readonly byDay: readonly (CostSum & { readonly day: string; readonly model: string })[];
  readonly byModel: readonly (CostSum & { readonly model: string })[];
}

export interface CostOfSession {
  readonly address: string;
  readonly agent: string;
  readonly title: string | undefined;
  readonly project: string | undefined;
  readonly model: string | undefined;
  /** Undefined where no sync has counted them. */
  readonly tokens: number | undefined;
  /** US dollars; undefined where no price is known. */
  readonly cost: number | undefined;
  /** RFC 3339. */
  readonly lastActivity: string | undefined;
}

/** Sums of what is known. */
interface CostSum {
  readonly sessions: number;
  readonly tokens: number;
  readonly cost: number;
  /** Sessions that `cost` lacks, since no price is known for them. */
  readonly withoutPrice: number;
}

const NO_MODEL = 'unknown';
const DAY_CHARACTERS = 10;

/** @throws OllmError IO_FAILED (the catalogue cannot be used) */
export async function costsSince(app: App, sinceMs: number): Promise<Costs> {
  const outcome = await app.catalog.ask((database) => figuresSince(database, sinceMs));
  if (outcome.kind === 'refused') throw unusableCatalog(app, outcome.reason);
  // Without a catalogue nothing was counted yet.
  return costsOf(outcome.kind === 'absent' ? [] : outcome.value, sinceMs);
}

/** Pure. A figure that is not known is in no sum, and is absent at its session. */
export function costsOf(figures: readonly SessionFigures[], sinceMs: number): Costs {
  const sessions = figures.map(costOf);
  const byDay = Map.groupBy(sessions, (session) => `${dayOf(session)} ${modelOf(session)}`);
  const byModel = Map.groupBy(sessions, modelOf);
  return {
    since: new Date(sinceMs).toISOString(),
    sessions,
    total: sumOf(sessions),
    byDay: [...byDay.values()].map((some) => ({
      day: dayOf(some[0]!),
      model: modelOf(some[0]!),
      ...sumOf(some),
    })),
    byModel: [...byModel].map(([model, some]) => ({ model, ...sumOf(some) })),
  };
}

function costOf({ agent, id, title, project, model, tokens, cost, lastActivity }: SessionFigures): CostOfSession {
  return {
    address: formatAddress({ agent, id }),
    agent,
    title: title ?? undefined,
    project: project ?? undefined,
    model: model ?? undefined,
    tokens: tokens ?? undefined,
    cost: cost ?? undefined,
    lastActivity: lastActivity === null ? undefined : new Date(lastActivity).toISOString(),
  };
}

/** '' where no time of the session is known. */
function dayOf({ lastActivity = '' }: CostOfSession): string {
  return lastActivity.slice(0, DAY_CHARACTERS);
}

function modelOf({ model }: CostOfSession): string {
  return model ?? NO_MODEL;
}

function sumOf(sessions: readonly CostOfSession[]): CostSum {
  return {
    sessions: sessions.length,
    tokens: sessions.reduce((sum, { tokens = 0 }) => sum + tokens, 0),
    cost: sessions.reduce((sum, { cost = 0 }) => sum + cost, 0),
    withoutPrice: sessions.filter(({ cost }) => cost === undefined).length,
  };
}
