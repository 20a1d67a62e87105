// A program of another maker that .ci/install-agents installs, and how a test drives it.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { LocalRun } from '../../../lib/handover/proof/local-runs.ts';
import type { ScriptedCall } from '../../support/scripted-turn.ts';

export interface Program extends Omit<LocalRun, 'package'> {
  /** As our module is called; its command has the same name. */
  readonly agent: string;
  /** The member of its output that has the session's id. */
  readonly idMember: string;
  /** How much of that id the name of its file has. Default: all. */
  readonly idCharacters?: number;
  /** Whether a session that continues in a later minute leaves a second file, both deleted at the next start. */
  readonly losesSessions?: boolean;
  /** The call that runs a command. */
  call(command: string): ScriptedCall;
  /** A prompt as its session has it. Default: as it was given. */
  kept?(prompt: string): string;
  /** The program's own output about its session. */
  readonly oracle?: Oracle;
}

export interface Oracle {
  /** Arguments that have it print that; undefined where it keeps it in a file of its own. */
  readonly asks?: ((id: string) => readonly string[]) | undefined;
  /** The output, or is in its home. */
  says(from: { readonly output: string; readonly home: string; readonly id: string }): OwnWords;
}

/** As far as it says it. */
export interface OwnWords {
  readonly id?: string | undefined;
  readonly title?: string | undefined;
  /** `user: …` and `assistant: …`, in order. */
  readonly texts?: readonly string[] | undefined;
}

/** Where .ci/install-agents puts them. */
export const PROGRAMS_FOLDER = process.env.TEST_AGENTS_DIR || join(homedir(), '.cache', 'ollm-agents');

/** Where the adapter is by which ollm runs it; undefined of one that needs none, or if it is not installed. */
export function adapterOf({ agent }: Pick<Program, 'agent'>): string | undefined {
  const folder = join(PROGRAMS_FOLDER, `${agent}-acp`);
  return existsSync(join(folder, '.version')) ? join(folder, 'node_modules', '.bin') : undefined;
}

/** Undefined if it is not installed. */
export function commandOf({ agent }: Pick<Program, 'agent'>): string | undefined {
  const folder = join(PROGRAMS_FOLDER, agent);
  return existsSync(join(folder, '.version')) ? join(folder, 'node_modules', '.bin', agent) : undefined;
}
