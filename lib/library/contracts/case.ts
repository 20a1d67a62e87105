// A rule that an implementation has to keep, as a case for any runner of tests. Each case opens a place of its own, and
// fails with an AssertionError of Node.
import type { JournalStore } from '../../journal/types.ts';

export interface ContractCase {
  /** A sentence. */
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** A store as a contract is handed it. */
export interface OpenedStore {
  /** It holds nothing yet. */
  readonly store: JournalStore;
  /** Opens the same place, as another process does. */
  another(): JournalStore | Promise<JournalStore>;
  /** Called at the end of a case. */
  dispose?(): void | Promise<void>;
}

export type OpenStore = () => OpenedStore | Promise<OpenedStore>;

type Rule = (store: JournalStore, another: OpenedStore['another']) => Promise<void>;

export function casesOf(open: OpenStore, rules: Readonly<Record<string, Rule>>): ContractCase[] {
  return Object.entries(rules).map(([name, rule]) => ({
    name,
    async run() {
      const opened = await open();
      try {
        await rule(opened.store, () => opened.another());
      } finally {
        await opened.dispose?.();
      }
    },
  }));
}

/** The data of a first line. */
export const CREATED = { model: 'm', provider: 'p', ollm: '1.0.0' };

export const said = (text: string) => ({ type: 'message.added', data: { text } });

/** Makes a closed journal with these messages. */
export async function make(store: JournalStore, id: string, ...texts: readonly string[]): Promise<void> {
  const writer = await store.create(id, CREATED);
  await writer.append(texts.map(said));
  await writer.close();
}

/** The texts of the messages of a journal; a damaged place is `(kind)`. */
export async function textsIn(store: JournalStore, id: string, archive?: string): Promise<string[]> {
  using reader = store.openReader(id, archive);
  const outcomes = (await Array.fromAsync(reader.outcomes())).flat();
  return outcomes.flatMap((outcome) => {
    if (outcome.kind === 'damage') return [`(${outcome.damage.kind})`];
    return outcome.event.type === 'message.added' ? [String(outcome.event.data.text)] : [];
  });
}

export const withCode = (code: string) => (error: unknown) => (error as { readonly code?: unknown })?.code === code;
