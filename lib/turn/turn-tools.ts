// The means of a turn to run tools. Made by app/tools/toolbox.ts for the program, by the caller for the library.
import type { Approver, Policy } from '../tools/decision.ts';
import type { RunProgram } from '../tools/program.ts';
import type { ToolPlace } from '../tools/tool.ts';
import type { Toolbox } from '../tools/toolbox.ts';

/** Where programs of tools run, as it is stored with each call and shown before it. */
export interface ToolBoundary {
  /** `bubblewrap`; `none` where the operating system draws no boundary. */
  readonly sandbox: string;
  /** The boundary, or why there is none, for the one who is asked. */
  readonly words: string;
  readonly network: boolean;
  /** Names of the variables that are kept from them. */
  readonly envRemoved: readonly string[];
  /** Names of the variables that they get. */
  readonly environment: readonly string[];
}

export interface TurnTools {
  readonly toolbox: Toolbox;
  /** Names of tools that are off unless the user switched them on in this session. */
  readonly disabled?: readonly string[] | undefined;
  readonly policy: Policy;
  readonly place: ToolPlace;
  readonly boundary: ToolBoundary;
  /** Starts programs inside the boundary. */
  readonly runProgram: RunProgram;
  /** Absent where no user can be asked: then a call that needs an answer is denied. */
  readonly approver?: Approver | undefined;
  /** How long one call may take, once it runs. */
  readonly timeoutMs: number;
  /** Tokens of an output that the model is given. */
  readonly maxOutputTokens: number;
  /**
   * Whether outputs are stored. If not, the model has them while the turn runs, and they are gone afterwards. Default:
   * yes.
   */
  readonly keepsOutputs?: boolean | undefined;
}
