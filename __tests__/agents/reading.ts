// What tests of several agents look at: a case as a source, the result of the folds over it, and what events say.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Agent, ForeignEvent, Source } from '../../lib/agents/agent.ts';
import { openForeign } from '../../lib/agents/open-foreign.ts';
import { nodeFileSystem } from '../../lib/platform/index.ts';
import { budgetFold } from '../../lib/projections/budget.ts';
import { replay } from '../../lib/projections/replay.ts';
import { sessionFold } from '../../lib/projections/session.ts';
import { summaryFold } from '../../lib/projections/summary.ts';
import { countedEntries } from '../../lib/projections/timeline.ts';
import { viewFold } from '../../lib/projections/view.ts';

/** How files are read. */
export const files = { fileSystem: nodeFileSystem, uid: process.getuid?.() };

/** A case of an agent. */
export function caseOf(agent: string, name: string): Source {
  const folder = fileURLToPath(new URL(`${agent}/cases/${name}/`, import.meta.url));
  const path = join(folder, 'record.jsonl');
  return { agent, id: name, path: existsSync(path) ? path : join(folder, 'record.json') };
}

/** The states after a session, or after one of its events. */
export async function statesOf(agent: Agent, source: Source, seq?: number) {
  const reader = openForeign(agent, source, files);
  const folds = { view: viewFold, budget: budgetFold, session: sessionFold, summary: summaryFold };
  const { states, counts } = await replay(reader, folds, seq === undefined ? {} : { at: { seq } });
  expect(counts).toMatchObject({ unknown: 0, invalid: 0, outOfOrder: 0 });
  return states;
}

/** The texts that the model would be sent. */
export function textsInView({ timeline }: { timeline: Parameters<typeof countedEntries>[0] }): string[] {
  const entries = countedEntries(timeline) as { parts?: readonly { type: string; text?: string }[] }[];
  return entries.flatMap(({ parts = [] }) => parts.flatMap(({ type, text = '' }) => (type === 'text' ? [text] : [])));
}

export async function eventsOf(reader: Pick<ReturnType<typeof openForeign>, 'outcomes'>): Promise<ForeignEvent[]> {
  const batches = [];
  for await (const batch of reader.outcomes()) batches.push(batch);
  return eventsIn(batches);
}

export function eventsIn(batches: Iterable<Iterable<{ kind: string; event?: ForeignEvent }>>): ForeignEvent[] {
  return [...batches].flatMap((batch) => [...batch].flatMap(({ event }) => (event === undefined ? [] : [event])));
}

/** The texts of all messages. */
export function textsOf(events: readonly ForeignEvent[]): string[] {
  return events.flatMap(({ type, data }) => {
    const { parts } = data as { parts?: { text?: string }[] };
    return type === 'message.added' ? (parts ?? []).map(({ text = '' }) => text) : [];
  });
}

/** Everything below a directory: a change of any file shows. */
export function lookBelow(directory: string): object {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    names.map((name) => {
      const { size, mtimeMs, ino } = statSync(join(directory, name));
      return [name, { size, mtimeMs, ino }];
    }),
  );
}

/** The agent over the bytes that an import keeps of a source. */
export function overKept(agent: Agent): Agent {
  const stored: Agent['stored'] = (source) => {
    const before = agent.stored(source);
    return before.kind === 'document' ? before : { kind: 'lines' };
  };
  return Object.assign(Object.create(agent) as Agent, agent, { stored });
}
