// Where many files grow at once, their followers are woken a few at a time, so that other work continues in between.

/** Each reads its new events, which takes about a tenth of a millisecond. */
const WOKEN_AT_ONCE = 16;

interface Waking {
  /** Calls it in its turn; once, however often it is named before that. */
  soon(wake: () => void): void;
  /** It is not called any more. */
  remove(wake: () => void): void;
}

export function createWaking(): Waking {
  const due = new Set<() => void>();

  function wakeSome(): void {
    let woken = 0;
    for (const wake of due) {
      if (woken === WOKEN_AT_ONCE) break;
      due.delete(wake);
      wake();
      woken += 1;
    }
    if (due.size > 0) setImmediate(wakeSome);
  }

  return {
    soon(wake) {
      if (due.size === 0) setImmediate(wakeSome);
      due.add(wake);
    },
    remove: (wake) => void due.delete(wake),
  };
}
