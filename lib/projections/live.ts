// The RxJS coat: a journal as a stream of events, first the stored ones, then each as it is appended, without a gap and
// without one twice; and a fold as an operator over it. The only file here that imports rxjs.
import { defer, map, Observable, type OperatorFunction, type Subscriber } from 'rxjs';
import { checkArguments } from '../errors/arguments.ts';
import { everyOutcome } from '../journal/reading/outcomes.ts';
import type { Damage, EventReader, Outcome, SessionEvent } from '../journal/types.ts';
import type { Fold } from './projection.ts';
import { createReplayer } from './replayer.ts';

/** What a live journal is made of. */
export interface LiveSource<Event extends SessionEvent = SessionEvent> {
  /** Opens the conversation for reading; called once for each subscriber. */
  readonly openReader: () => EventReader<Event>;
  /** The writer that appends to it in this process. Without one the stream ends with the stored events. */
  readonly writer?: { subscribe(listener: (events: readonly Event[]) => void): () => void } | undefined;
  readonly onDamage?: ((damage: Damage) => void) | undefined;
}

const SOURCE = { openReader: 'function', 'writer?': 'object' } as const;

/** A journal to subscribe to. */
export interface LiveJournal<Event extends SessionEvent = SessionEvent> {
  /** Each subscriber gets all events from the beginning. */
  readonly events$: Observable<Event>;
}

/**
 * A journal to subscribe to.
 *
 * @example
 * const journal = liveJournal({ openReader: () => store.openReader(id), writer });
 * journal.events$.pipe(project(budgetFold)).subscribe((budget) => console.log(usedTokens(budget)));
 */
export function liveJournal<Event extends SessionEvent>(source: LiveSource<Event>): LiveJournal<Event> {
  checkArguments('liveJournal', { source: SOURCE }, [source]);
  return { events$: events$(source) };
}

/**
 * Stored events, then live ones.
 *
 * @example
 * events$({ openReader: () => store.openReader(id) }).subscribe(({ seq, type }) => console.log(seq, type));
 */
export function events$<Event extends SessionEvent>(source: LiveSource<Event>): Observable<Event> {
  checkArguments('events$', { source: SOURCE }, [source]);
  const { openReader, writer, onDamage } = source;
  return new Observable((subscriber) => {
    const waiting: Event[] = [];
    let last = -1;
    let caughtUp = false;
    const show = (event: Event): void => {
      if (event.seq <= last) return;
      last = event.seq;
      subscriber.next(event);
    };
    const reader = openReader();
    // Listens before it reads: events appended meanwhile wait, and those that the reading also finds are left out.
    const stopListening = writer?.subscribe((events) => {
      if (caughtUp) for (const event of events) show(event);
      else waiting.push(...events);
    });
    readAll(reader, subscriber, { show, onDamage }).then(
      () => {
        for (const event of waiting.splice(0)) show(event);
        caughtUp = true;
        if (writer === undefined) subscriber.complete();
      },
      (error: unknown) => subscriber.error(error),
    );
    return stopListening;
  });
}

async function readAll<Event extends SessionEvent>(
  reader: EventReader<Event>,
  subscriber: Subscriber<Event>,
  { show, onDamage }: { show: (event: Event) => void; onDamage: LiveSource['onDamage'] },
): Promise<void> {
  try {
    await everyOutcome(reader.outcomes(), (outcome) => {
      if (subscriber.closed) return false;
      if (outcome.kind === 'event') show(outcome.event);
      else onDamage?.(outcome.damage);
      return true;
    });
  } finally {
    reader.close();
  }
}

/**
 * The state of a fold after each event. It is one object that changes: read it, and do not keep it.
 *
 * @example
 * journal.events$.pipe(project(summaryFold)).subscribe(({ messageCount }) => console.log(messageCount));
 */
export function project<State>(fold: Fold<State>): OperatorFunction<SessionEvent, State> {
  checkArguments('project', { fold: 'Fold' }, [fold]);
  return (events) =>
    defer(() => {
      const replayer = createReplayer({ state: fold });
      return events.pipe(
        map((event) => {
          replayer.see(event);
          return replayer.states.state as State;
        }),
      );
    });
}

/**
 * Outcomes of a journal that another process writes, as they come. Ends with `signal`, or with its last subscriber.
 *
 * @example
 * watch$(store.openReader(id)).subscribe((outcome) => console.log(outcome.kind));
 */
export function watch$<Event extends SessionEvent>(
  reader: Pick<EventReader<Event>, 'follow'>,
  signal?: AbortSignal,
): Observable<Outcome<Event>> {
  checkArguments('watch$', { reader: 'JournalReader', 'signal?': 'object' }, [reader, signal]);
  return new Observable((subscriber) => {
    const unsubscribed = new AbortController();
    const signals = signal === undefined ? [unsubscribed.signal] : [signal, unsubscribed.signal];
    const follow = async (): Promise<void> => {
      for await (const batch of reader.follow({ signal: AbortSignal.any(signals) })) {
        for (const outcome of batch) subscriber.next(outcome);
      }
    };
    follow().then(
      () => subscriber.complete(),
      (error: unknown) => subscriber.error(error),
    );
    return () => unsubscribed.abort();
  });
}
