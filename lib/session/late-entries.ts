// The entries of a saved view: all that was said, and so nearly all of a state file. A session that is taken up again
// needs them for its next request and not before: until then they stay the text that was read.

type States = Readonly<Record<string, unknown>>;

/** The states with a view that has no entries, and those that it had. */
export function withoutEntries(states: States): { readonly states: States; readonly entries: readonly unknown[] } {
  const found = viewWithEntries(states);
  if (found === undefined) return { states, entries: [] };
  const { view, timeline } = found;
  return {
    states: { ...states, view: { ...view, timeline: { ...timeline, entries: [] } } },
    entries: timeline.entries,
  };
}

/** Gives the view of these states its entries, which `read` makes when they are first looked at. */
export function giveLateEntries(states: States, read: () => readonly unknown[]): void {
  const found = viewWithEntries(states);
  if (found === undefined) return;
  let entries: readonly unknown[] | undefined;
  let unread: typeof read | undefined = read;
  Object.defineProperty(found.timeline, 'entries', {
    enumerable: true,
    configurable: true,
    get() {
      entries ??= unread?.();
      // And with it the text.
      unread = undefined;
      return entries;
    },
    set(changed: readonly unknown[]) {
      entries = changed;
      unread = undefined;
    },
  });
}

interface WithEntries {
  readonly entries: readonly unknown[];
}

/** Undefined where there is none such: in the states of other folds than ours. */
function viewWithEntries({ view }: States): { readonly view: object; readonly timeline: WithEntries } | undefined {
  const timeline = (view as { readonly timeline?: Partial<WithEntries> } | null | undefined)?.timeline;
  if (!Array.isArray(timeline?.entries)) return undefined;
  return { view: view as object, timeline: timeline as WithEntries };
}
