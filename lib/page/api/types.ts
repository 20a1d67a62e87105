// The answers of the server: the types of its own table of routes, so that the two cannot differ.
import type { FromSchema } from '../../api/from-schema.ts';
import type { AnswerOf } from '../../api/route.ts';
import type { RouteNamed } from '../../api/routes.ts';
import type { SHAPES } from '../../api/shapes.ts';
import type { OllmEvent } from '../../events/index.ts';

/** An event as the server sends it. */
export type SentEvent = OllmEvent & { readonly seq: number; readonly ts: string; readonly turn?: number };

/** Events that the model no longer sees, because the conversation continued from an earlier one. */
export type UndoneSpan = Outline['undone'][number];

/** Bytes that are not as they were written, and which event they follow. */
export interface SentDamagedPlace {
  readonly after: number;
  readonly kind: string;
  readonly offset: number;
  readonly length: number;
  readonly reason: string;
  /** Number of the line, from 1; 0 where that is not known. */
  readonly line?: number | undefined;
  /** The seq that the damaged line can still be read to have. */
  readonly seq?: number | undefined;
}

/** A session in a list. */
export type SentSessionRow = FromSchema<typeof SHAPES.Session>;
export type SentCounts = Pick<FromSchema<typeof SHAPES.SessionCounts>, 'total' | 'projects' | 'agents'>;
/** The sessions that were active last, and how many there are. */
export interface NewestSessions {
  readonly sessions: readonly SentSessionRow[];
  readonly counts: SentCounts;
}
/** Facts about a whole session without its events: for the outline and the map. */
export type Outline = AnswerOf<RouteNamed<'getOutline'>>;
export type SentChanges = AnswerOf<RouteNamed<'getChanges'>>;
export type SentSteps = AnswerOf<RouteNamed<'getSteps'>>;
export type MapRow = Outline['map'][number];
/** A piece of an output that was kept whole. */
export type KeptText = AnswerOf<RouteNamed<'getAssetText'>>;
/** The work of the server on a session, and the other process that holds it. */
export type ActivityAnswer = AnswerOf<RouteNamed<'getActivity'>>;
export type SentCostOfSession = FromSchema<typeof SHAPES.Requests>;
export type StatsOfAll = FromSchema<typeof SHAPES.Stats>;
export type StatsRowOfAll = StatsOfAll['rows'][number];
export type SentSearchHit = FromSchema<typeof SHAPES.Hit>;
export type SentSearchAnswer = FromSchema<typeof SHAPES.Found>;
/** Who can answer: ollm, and agents of other makers. */
export type SentProvider = FromSchema<typeof SHAPES.Provider>;
export type ModelChoice = FromSchema<typeof SHAPES.Model>;
export type Asset = FromSchema<typeof SHAPES.Asset>;

/** A stretch of a session's events. */
export interface SentEventPage {
  readonly events: readonly SentEvent[];
  readonly damage: readonly SentDamagedPlace[];
  /** Seq of the newest event. */
  readonly head: number;
}

/** A question of the policy. */
export type AskedQuestion = Omit<FromSchema<typeof SHAPES.Question>, 'call'> & {
  readonly call?: AskedCall | undefined;
};

/** What a call would do, as docs/server.md says. */
interface AskedCall {
  readonly tool: string;
  readonly args: unknown;
  readonly command?:
    | { readonly kind: 'shell'; readonly line: string; readonly cwd: string }
    | { readonly kind: 'program'; readonly argv: readonly string[]; readonly cwd: string };
  readonly preview?: { readonly kind: string; readonly text: string };
  readonly sandbox: string;
  readonly dangerous?: string;
  readonly grant?: string;
  readonly denial?: string;
}
