// Which tools of which servers the user has approved, and in which form: a tool whose description changed, or a server
// with a different program in the configuration, is approved again. A single file with mode 0600, replaced as a whole
// and under a lock, so that two processes that approve at the same time both keep theirs. A file that cannot be trusted
// approves nothing.
import { dirname } from 'node:path';
import { OllmError, systemErrorCode } from '../errors/index.ts';
import { changeContent } from '../platform/files/file-change.ts';
import type { FileSystem } from '../platform/files/file-system.ts';
import { readOwnFile } from '../platform/files/own-file.ts';
import type { Ids } from '../platform/ids.ts';
import { isObject, parseJson } from '../platform/json.ts';

/** A tool as it was when it was approved. */
export interface ApprovedTool {
  readonly fingerprint: string;
  readonly description: string;
  readonly parameters: object;
  /** RFC 3339. */
  readonly approvedAt: string;
}

interface ApprovedServer {
  /** The fingerprint in ServerSettings. */
  readonly identity: string;
  /** By the name that the server uses. */
  readonly tools: ReadonlyMap<string, ApprovedTool>;
}

interface Approvals {
  readonly servers: ReadonlyMap<string, ApprovedServer>;
  /** Why nothing counts as approved, as a sentence. */
  readonly problem?: string | undefined;
}

export interface ApprovalFile {
  read(): Approvals;
  /**
   * Adds approvals. Those of the server's earlier program or address are dropped.
   *
   * @throws OllmError IO_FAILED
   */
  add(server: string, approved: ApprovedServer): Promise<void>;
}

interface ApprovalFileOptions {
  readonly path: string;
  readonly fileSystem: FileSystem;
  readonly ids: Ids;
  /** Ours; undefined where the system has none. */
  readonly uid: number | undefined;
}

const VERSION = 1;
const MAX_BYTES = 32 * 1024 * 1024;

export function openApprovals({ path, fileSystem, ids, uid }: ApprovalFileOptions): ApprovalFile {
  function read(): Approvals {
    const nothing = (reason: string): Approvals => ({
      servers: new Map(),
      problem: `${path} ${reason}: no tool of a server counts as approved. Approve them again, or put the file right.`,
    });
    try {
      const file = readOwnFile(fileSystem, path, { uid, maxBytes: MAX_BYTES });
      if (file.kind === 'absent') return { servers: new Map() };
      if (file.kind === 'untrusted') return nothing(file.problem);
      return parseApprovals(new TextDecoder().decode(file.content)) ?? nothing('is damaged');
    } catch (error) {
      if (systemErrorCode(error) === undefined) throw error;
      return nothing(`cannot be read (${systemErrorCode(error)})`);
    }
  }

  async function add(server: string, { identity, tools }: ApprovedServer): Promise<void> {
    const withTools = () => {
      const servers = new Map(read().servers);
      const known = servers.get(server);
      const kept = known?.identity === identity ? known.tools : new Map<string, ApprovedTool>();
      servers.set(server, { identity, tools: new Map([...kept, ...tools]) });
      return formatApprovals(servers);
    };
    try {
      await changeContent({ path, fileSystem, ids }, withTools, { isSynced: true });
      await fileSystem.syncDirectory(dirname(path));
    } catch (error) {
      const code = systemErrorCode(error);
      throw code === undefined ? error : failed(code === 'EAGAIN' ? (error as Error).message : code, error);
    }
  }

  function failed(reason: string, cause?: unknown): OllmError {
    return new OllmError('IO_FAILED', `The approval cannot be written to ${path}: ${reason}.`, {
      hint: 'Nothing was approved. Put right what is in the way, and approve again.',
      cause,
    });
  }

  return { read, add };
}

function formatApprovals(servers: Approvals['servers']): string {
  const plain = [...servers].map(([name, { identity, tools }]) => [
    name,
    { identity, tools: Object.fromEntries(tools) },
  ]);
  return `${JSON.stringify({ version: VERSION, servers: Object.fromEntries(plain) }, undefined, 1)}\n`;
}

/** Undefined if it is not what formatApprovals makes. */
function parseApprovals(text: string): Approvals | undefined {
  const value = parseJson(text);
  if (!isObject(value) || value.version !== VERSION || !isObject(value.servers)) return undefined;
  const servers = new Map<string, ApprovedServer>();
  for (const [name, server] of Object.entries(value.servers)) {
    if (!isObject(server) || typeof server.identity !== 'string' || !isObject(server.tools)) return undefined;
    const tools = Object.entries(server.tools);
    if (!tools.every((entry): entry is [string, ApprovedTool] => isApprovedTool(entry[1]))) return undefined;
    servers.set(name, { identity: server.identity, tools: new Map(tools) });
  }
  return { servers };
}

function isApprovedTool(value: unknown): value is ApprovedTool {
  if (!isObject(value) || !isObject(value.parameters)) return false;
  return [value.fingerprint, value.description, value.approvedAt].every((each) => typeof each === 'string');
}
