// A session of another program, taken up here: imported, forked, and asked over each of the six wires.
import { lastValueFrom, toArray } from 'rxjs';
import type { Agent, Source } from '../../lib/agents/agent.ts';
import { DEFAULT_COMPACTION } from '../../lib/context/compaction/due.ts';
import { openMemoryStore } from '../../lib/file-store/memory-store.ts';
import { importSession } from '../../lib/hub/import-session.ts';
import {
  countingIds,
  type FileSystem,
  manualClock,
  nodeFileSystem,
  silentLog,
  thisProcess,
} from '../../lib/platform/index.ts';
import { forkSession } from '../../lib/session/fork.ts';
import { openSession } from '../../lib/session/open.ts';
import { estimatingCounter } from '../../lib/tokens/estimate.ts';
import { createToolbox } from '../../lib/tools/toolbox.ts';
import { runTurn } from '../../lib/turn/run-turn.ts';
import { testTool } from '../turn/tool-world.ts';
import { type CheckingServer, WIRES } from './checking-server.ts';
import { WIRE_NAMES } from './vendor-rules.ts';

export interface StoredElsewhere {
  readonly agent: Agent;
  readonly source: Source;
  /** Default: that of this machine. */
  readonly fileSystem?: FileSystem;
}

export interface Continued {
  /** False where nothing in the source is a conversation. */
  readonly isConversation: boolean;
  /** Each request that broke a rule or failed, as `wire: sentence`. */
  readonly faults: readonly string[];
}

export const TOOLS = {
  toolbox: createToolbox([testTool()]),
  policy: { decide: () => ({ kind: 'deny', by: 'policy', rule: 'none', reason: 'none' }) as const, grant: () => {} },
  place: { root: '/project', cwd: '/project' },
  boundary: { sandbox: 'none', words: 'none', network: false, envRemoved: [], environment: [] },
  runProgram: () => Promise.reject(new Error('No programs here.')),
  timeoutMs: 60_000,
  maxOutputTokens: 1_000,
};

/** `contextWindow`: of every model. A small one makes a compaction, whose summary is asked for as well. */
export async function continueElsewhere(
  { agent, source, fileSystem = nodeFileSystem }: StoredElsewhere,
  server: CheckingServer,
  { contextWindow, withTools }: { readonly contextWindow: number; readonly withTools: boolean },
): Promise<Continued> {
  const clock = manualClock();
  const store = openMemoryStore({ clock, ids: countingIds(), process: thisProcess('test'), log: silentLog });
  // Whose files they are does not matter: they are test data.
  const files = { fileSystem, uid: undefined };
  const imported = await importSession(agent, source, { store, files, keepsSource: false, keepsOutputs: true });
  if (imported.kind === 'empty') return { isConversation: false, faults: [] };
  await forkSession(store, imported.id, { id: 'taken-up', created: { ollm: '0.0.0' } });
  const session = await openSession(store, 'taken-up', { log: silentLog });
  const faults: string[] = [];
  for (const wire of WIRE_NAMES) {
    const { model, provider: make } = WIRES[wire];
    const provider = make(server.url);
    await session.append([{ type: 'model.changed', data: { provider: provider.name, model, contextWindow } }]);
    const before = server.requests.length;
    const signals = await lastValueFrom(
      runTurn(
        session,
        { text: 'Where were we?' },
        {
          ...{ provider, model, contextWindow, store, clock, counter: estimatingCounter, log: silentLog },
          ...(withTools && { tools: TOOLS }),
          compaction: DEFAULT_COMPACTION,
        },
      ).pipe(toArray()),
    );
    const sent = server.requests.splice(before);
    if (sent.length === 0) faults.push(`${wire}: Nothing was sent.`);
    for (const { broken } of sent) faults.push(...broken.map((sentence) => `${wire}: ${sentence}`));
    const last = signals.at(-1);
    if (last?.type === 'error') faults.push(`${wire}: ${last.error.message}`);
  }
  await session.close('exit');
  return { isConversation: true, faults };
}
