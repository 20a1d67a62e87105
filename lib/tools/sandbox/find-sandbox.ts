// Which sandbox this machine has: looked for only in the places of the system, never in a PATH that a project may have
// changed, and tried, because a kernel or a container may forbid an installed one.
import { mountPointsElsewhere } from '../../platform/disks/mounts.ts';
import { nodeFileSystem } from '../../platform/files/node-file-system.ts';
import { systemIds } from '../../platform/ids.ts';
import { startProcess } from '../../platform/processes/child-process.ts';
import { findProgram } from '../../platform/processes/find-program.ts';
import type { ProcessExit } from '../../platform/processes/process-group.ts';
import { maxProcesses } from '../../platform/processes/process-tree.ts';
import { StartFailure } from '../../platform/processes/start-failure.ts';
import { waitFor } from '../../platform/waiting.ts';
import type { Sandbox, SandboxFinding } from '../sandboxing.ts';
import { createBubblewrap } from './bubblewrap.ts';
import { createPlaceholders } from './placeholders.ts';
import { createSeatbelt, SEATBELT_PROGRAM } from './seatbelt.ts';
import { systemCallFilter } from './system-calls.ts';

/** Where programs of the system are, NixOS included. */
const SYSTEM_PATH = '/usr/bin:/bin:/usr/local/bin:/run/current-system/sw/bin';
const PROBE_TIMEOUT_MS = 5000;

let finding: Promise<SandboxFinding> | undefined;

/**
 * The sandbox of this machine, or why there is none. Looked for once in a process.
 *
 * @example
 * const found = await findSandbox();
 * if (!found.available) console.log(found.reason);
 */
export function findSandbox(): Promise<SandboxFinding> {
  finding ??= lookForSandbox({ platform: process.platform, path: SYSTEM_PATH });
  return finding;
}

interface SandboxSurroundings {
  readonly platform: NodeJS.Platform;
  /** The directories in which the programs are looked for. */
  readonly path: string;
  /** Default: that of this machine. */
  readonly arch?: string | undefined;
}

export async function lookForSandbox({
  platform,
  path,
  arch = process.arch,
}: SandboxSurroundings): Promise<SandboxFinding> {
  if (platform === 'linux') return findBubblewrap(path, arch);
  if (platform === 'darwin') return tried(createSeatbelt(nodeFileSystem, systemIds), SEATBELT_REMEDY);
  return { available: false, reason: `There is no sandbox for ${platform}: only for Linux and macOS.` };
}

async function findBubblewrap(path: string, arch: string): Promise<SandboxFinding> {
  const program = programOfSystem('bwrap', path);
  if (program === undefined) return { available: false, reason: `bubblewrap is not installed. ${INSTALL_REMEDY}` };
  const placeholders = createPlaceholders(nodeFileSystem, mountPointsElsewhere);
  const taskLimit = taskLimitCommand(programOfSystem('prlimit', path));
  const parts = { program, taskLimit, fileSystem: nodeFileSystem, ids: systemIds, placeholders };
  const [open, closed] = [true, false].map((network) => systemCallFilter({ arch, network }));
  const filter = open && closed && ((network: boolean) => (network ? open : closed));
  const found = await tried(createBubblewrap({ ...parts, filter }), BUBBLEWRAP_REMEDY);
  if (found.available || filter === undefined) return found;
  // A kernel may have namespaces and no filters.
  const unfiltered = await tried(createBubblewrap({ ...parts, filter: undefined }), BUBBLEWRAP_REMEDY);
  return unfiltered.available ? unfiltered : found;
}

const INSTALL_REMEDY =
  'Install it: "apt install bubblewrap" on Debian and Ubuntu, "dnf install bubblewrap" on Fedora, "pacman -S bubblewrap" on Arch.';
const BUBBLEWRAP_REMEDY =
  'Often user namespaces are forbidden: on Ubuntu by AppArmor (it needs a profile for /usr/bin/bwrap), elsewhere by the settings user.max_user_namespaces or kernel.unprivileged_userns_clone of sysctl, in a container by how it was started.';
const SEATBELT_REMEDY = `${SEATBELT_PROGRAM} is a part of macOS.`;

function programOfSystem(name: string, path: string): string | undefined {
  try {
    return findProgram(name, { path, cwd: '/' });
  } catch (error) {
    if (error instanceof StartFailure) return undefined;
    throw error;
  }
}

/** Processes and threads that a confined program may have at a time. Builds need hundreds; a fork bomb takes all. */
const MAX_TASKS = 4096;

/** A limit above the one that we ourselves have cannot be set, and is not needed. */
function taskLimitCommand(prlimit: string | undefined): string[] {
  return prlimit === undefined || maxProcesses() < MAX_TASKS ? [] : [prlimit, `--nproc=${MAX_TASKS}:${MAX_TASKS}`];
}

/** Runs something harmless in it. */
async function tried(sandbox: Sandbox, remedy: string): Promise<SandboxFinding> {
  const scope = { writable: [], protected: [], hidden: [], network: false };
  const { argv, inherited, end } = sandbox.confine(['/bin/sh', '-c', 'exit 0'], scope, '/');
  try {
    const child = await startProcess({ argv, inherited, cwd: '/', env: {}, errors: 'merged' });
    let said = '';
    child.output.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const { kind } = await waitFor(child.exited, { timeoutMs: PROBE_TIMEOUT_MS });
    if (kind !== 'done') child.signalGroup('SIGKILL');
    const exit = await child.exited;
    if (exit.exitCode === 0) return { available: true, sandbox };
    return { available: false, reason: `${sandbox.name} does not work here: ${lastWords(said, exit)} ${remedy}` };
  } catch (error) {
    if (!(error instanceof StartFailure)) throw error;
    return { available: false, reason: `${error.message} ${remedy}` };
  } finally {
    end?.();
  }
}

function lastWords(said: string, exit: ProcessExit): string {
  const line = said.trim().split('\n').at(-1) || `it ended with ${exit.exitCode ?? exit.killedBy}`;
  return line.endsWith('.') ? line : `${line}.`;
}
