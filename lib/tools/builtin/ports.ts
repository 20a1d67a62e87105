// The ports of the built-in tools: their only way to the disk, the session's past and other programs.
import type { Discovery, DiscoveryOptions } from '../../discovery/types.ts';
import type { FileSystem } from '../../platform/files/file-system.ts';
import { isInside } from '../../platform/files/inside.ts';
import type { Ids } from '../../platform/ids.ts';
import type { Decision } from '../decision.ts';
import type { ToolPlace } from '../tool.ts';
import type { AgentPort } from './agent.ts';
import type { HistoryPort } from './history-read.ts';
import type { RecallPort } from './recall.ts';
import type { SkillPort } from './skill-read.ts';
import type { WebPort } from './web-fetch.ts';

export interface BuiltinToolPorts {
  readonly fileSystem: FileSystem;
  readonly ids: Pick<Ids, 'token'>;
  /** Gives what finds the files of a project, by the user's settings. Asked when a tool first needs it. */
  readonly discovery: () => Promise<(options: DiscoveryOptions) => Discovery>;
  /** The past of the session. Without it there is no `history_read`. */
  readonly history?: HistoryPort | undefined;
  /** The passages of the project. Without them there is no `recall`. */
  readonly recall?: RecallPort | undefined;
  /** The skills. Without them there is no `skill_read`. */
  readonly skills?: SkillPort | undefined;
  /** The way to the web. Without it there is no `web_fetch`. */
  readonly web?: WebPort | undefined;
  /** Begins agents. Without it there is no `agent`. */
  readonly agents?: AgentPort | undefined;
  /** Tokens of an output that a model is given (`tools.maxOutputTokens`): a file is read in pieces of that size. */
  readonly maxOutputTokens: number;
  /** How long a program may take (`tools.timeoutSeconds`, in milliseconds). */
  readonly timeoutMs: number;
  /** Bytes that a program may print (`tools.maxOutputBytes`). */
  readonly maxOutputBytes: number;
  /**
   * The policy's decision on reading a file, by its real path. Searches skip files that are denied or need a question,
   * and a plan reveals nothing of their content to the model. Default: allowed in the project, else asked.
   */
  readonly mayRead?: ((path: string) => Decision['kind']) | undefined;
}

export function mayRead(ports: Pick<BuiltinToolPorts, 'mayRead'>, path: string, place: ToolPlace): Decision['kind'] {
  return ports.mayRead?.(path) ?? (isInside(place.root, path) ? 'allow' : 'ask');
}
