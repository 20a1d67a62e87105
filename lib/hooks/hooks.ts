// The port through which a turn calls the user's hooks. Context that they add is stored by the maker of the port
// (app/tools/hooks.ts); the turn obeys the veto and shows the notices. Nothing here ever throws, except an abort.

/** The combined answer of the hooks for an occasion. */
export interface HookOutcome {
  /** Why it must not happen, or why a result is refused, for the user and the model. */
  readonly veto?: HookVeto | undefined;
  /** Notices for the user during the turn: a hook that failed, context that was refused. */
  readonly notices: readonly string[];
}

/** A hook's no. */
export interface HookVeto {
  /** For `tool.decided`: `hook:beforeTool:check-commit`. */
  readonly rule: string;
  readonly reason: string;
}

/** A call as hooks see it. */
export interface HookedCall {
  readonly callId: string;
  readonly name: string;
  readonly args: unknown;
  /** `Action.summary`, where it could be planned. */
  readonly summary?: string | undefined;
  /** `Action.isReadOnly`. */
  readonly isReadOnly?: boolean | undefined;
}

/** How a call ended, as hooks see it. */
export interface HookedResult {
  /** The status in `tool.finished`. */
  readonly status: string;
  /** The text for the model. */
  readonly content: string;
  readonly durationMs: number;
}

/** Absent where no hook is configured: then nothing is called. */
export interface TurnHooks {
  /**
   * Before the user's message is stored and goes to a model. `turn`: its number. After a veto the turn is not begun, or
   * ended as failed with POLICY_DENIED.
   */
  beforeTurn(turn: { readonly turn: number; readonly input: string }, signal: AbortSignal): Promise<HookOutcome>;
  /**
   * When a call is planned and before the policy is asked, so that the user is not asked about a forbidden call; again
   * if the user edited the arguments. A veto is a decision `deny` by policy. A hook can never allow.
   */
  beforeTool(turn: { readonly turn: number; readonly call: HookedCall }, signal: AbortSignal): Promise<HookOutcome>;
  /**
   * When a tool has ended, before its result is stored; not after calls that were denied. A veto refuses the result:
   * the model is given the reason instead.
   */
  afterTool(
    turn: { readonly turn: number; readonly call: HookedCall; readonly result: HookedResult },
    signal: AbortSignal,
  ): Promise<HookOutcome>;
}
