// A host over a real home, with a model at a real HTTP server, and clients that follow sessions.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Host } from '../../lib/host/open-host.ts';
import { openHost } from '../../lib/host/open-host.ts';
import type { Delivery } from '../../lib/host/port/followers.ts';
import type { HostLimits } from '../../lib/host/port/limits.ts';
import { type ModelReply, startToolModel } from '../repl/tool-model.ts';
import { endWithTests } from '../support/end-with-tests.ts';
import type { FaultServer } from '../support/fault-server.ts';
import { until } from '../support/until.ts';

export interface HostWorld extends AsyncDisposable {
  readonly home: string;
  readonly project: string;
  readonly model: FaultServer;
  readonly host: Host;
  readonly env: Readonly<Record<string, string>>;
  /** A different server over the same home. */
  another(limits?: Partial<HostLimits>, env?: Readonly<Record<string, string>>): Promise<Host>;
  journal(id: string): readonly StoredLine[];
}

export interface StoredLine {
  readonly seq: number;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface WorldOptions {
  readonly replies?: readonly ModelReply[];
  readonly limits?: Partial<HostLimits>;
  readonly env?: Readonly<Record<string, string>>;
}

export async function hostWorld({
  replies = [{ text: 'ok' }],
  limits,
  env: more = {},
}: WorldOptions = {}): Promise<HostWorld> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'ollm-host-')));
  const home = join(root, 'home');
  const project = join(root, 'project');
  for (const directory of [home, project]) mkdirSync(directory, { mode: 0o700 });
  const model = await startToolModel(...replies);
  // The subject of the question are the messages of users: the built-in prompt would be one more.
  const plain = { OLLM_DEFAULT_PROMPT: 'false' };
  const env = { PATH: process.env.PATH!, HOME: root, OLLM_HOME: home, OLLAMA_HOST: model.url, ...plain, ...more };
  const hosts: Host[] = [];
  const another = async (
    own: Partial<HostLimits> = {},
    other: Readonly<Record<string, string>> = {},
  ): Promise<Host> => {
    const host = await openHost({
      env: { ...env, ...other },
      cwd: project,
      flags: { provider: 'ollama' },
      limits: { holdMs: 300, ...limits, ...own },
    });
    hosts.push(host);
    endWithTests(() => void host.close());
    return host;
  };
  const host = await another();
  return {
    ...{ home, project, model, host, env, another },
    journal: (id) =>
      readFileSync(join(home, 'session-data', `${id}.jsonl`), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as StoredLine),
    async [Symbol.asyncDispose]() {
      for (const each of hosts) await each.close();
      await model[Symbol.asyncDispose]();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** A client that follows a session, and keeps all that it is sent. */
export interface Client {
  readonly items: Delivery[];
  /** Ids of the stored events, in the order in which they came. */
  ids(): string[];
  types(): string[];
  /** The texts of the signals of this type. */
  signals<Data = Record<string, unknown>>(type: string): Data[];
  /** The text that the client would show of the streaming message. */
  text(): string;
  until(condition: (client: Client) => boolean): Promise<void>;
  /** Waits for a stored event of this type. */
  event(type: string, count?: number): Promise<void>;
  leave(): Promise<void>;
}

export function follow(host: Host, id: string, after?: string): Client {
  const leaving = new AbortController();
  const items: Delivery[] = [];
  let failure: unknown;
  const reading = (async () => {
    for await (const batch of host.followers.subscribe(id, { after, signal: leaving.signal })) items.push(...batch);
  })().catch((error: unknown) => {
    failure = error;
  });
  const client: Client = {
    items,
    ids: () => items.flatMap((item) => (item.kind === 'event' ? [item.id] : [])),
    types: () => items.flatMap((item) => (item.kind === 'event' ? [item.type] : [])),
    signals: (type) =>
      items.flatMap((item) => (item.kind === 'signal' && item.type === type ? [JSON.parse(item.data)] : [])),
    text: () => items.reduce(shown, ''),
    async until(condition) {
      await until(() => {
        if (failure !== undefined) throw failure;
        return condition(client);
      });
    },
    event: (type, count = 1) => client.until(() => client.types().filter((each) => each === type).length >= count),
    async leave() {
      leaving.abort();
      await reading;
    },
  };
  return client;
}

function shown(text: string, item: Delivery): string {
  if (item.kind === 'partial') return (JSON.parse(item.data) as { text: string }).text;
  if (item.kind === 'event') return item.type === 'message.added' ? '' : text;
  if (item.kind !== 'signal' || item.type !== 'turn') return text;
  const { signal } = JSON.parse(item.data) as { signal: { type: string; content?: string } };
  return signal.type === 'delta' ? text + signal.content : text;
}
