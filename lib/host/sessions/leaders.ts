// The leaders of the sessions in this host, by id: made when something is done with a session, forgotten once nothing
// of it is left. Their signals go to the subscribers of their session, and are counted.
import type { App } from '../../app/app.ts';
import { Leader } from '../../lead/leader.ts';
import { isPromised } from '../../lead/led-prompts.ts';
import { forgetTurn, notedTurns } from '../../lead/note.ts';
import type { AppInUse, LeadSignal } from '../../lead/types.ts';
import type { Followers } from '../following/followers.ts';
import type { HostLimits } from '../port/limits.ts';
import { type SessionActivity, waitingFor } from '../port/snapshots.ts';
import type { Questions } from '../questions.ts';
import { lockedError } from './held-elsewhere.ts';
import { type JoinedSignals, joinedSignals } from './joined-deltas.ts';
import { queuedOf } from './prompt-forms.ts';
import { RecentlySeen } from './recently-seen.ts';
import { setMode } from './set-mode.ts';
import { signalJson } from './signal-json.ts';
import { usersOf } from './users.ts';

interface LeadersOptions {
  readonly app: App;
  readonly followers: Followers;
  readonly questions: Questions;
  readonly limits: Pick<HostLimits, 'holdMs' | 'listedMs'>;
  /** The app of a session's workspace. */
  readonly useAppOf: (id: string) => Promise<AppInUse>;
}

/** Full sessions of which it is known where they go on. */
const REMEMBERED = 200;

export class Leaders {
  readonly #options: LeadersOptions;
  readonly #leaders = new Map<string, Leader>();
  readonly #seen: RecentlySeen<undefined>;
  /** Where full sessions go on, for clients that still name the full one. */
  readonly #moved = new Map<string, string>();
  readonly #ended: Record<string, number> = {};
  #appends = 0;
  readonly #synced = { prompts: 0, ms: 0 };

  constructor(options: LeadersOptions) {
    this.#options = options;
    const { app, limits } = options;
    const isAtWork = (id: string) => !['free', 'not-held'].includes(this.activity(id).kind);
    this.#seen = new RecentlySeen({ clock: app.clock, listedMs: limits.listedMs, isAtWork });
  }

  get figures() {
    const all = [...this.#leaders.values()];
    const kinds = all.map(({ id }) => this.activity(id).kind);
    return {
      held: all.filter(({ isOpen }) => isOpen).length,
      turns: {
        running: kinds.filter((kind) => kind === 'running').length,
        waiting: kinds.filter((kind) => kind === 'waiting').length,
        queued: all.reduce((sum, { waiting }) => sum + waiting.length, 0),
      },
      ended: { ...this.#ended },
      appends: this.#appends,
      synced: { ...this.#synced },
    };
  }

  get(id: string): Leader | undefined {
    return this.#leaders.get(id);
  }

  /** Does something with the leader of a session; it is not forgotten until that has ended. */
  use<Result>(id: string, does: (leader: Leader) => Promise<Result>): Promise<Result> {
    const leader = this.#leaders.get(id) ?? this.#lead(id);
    return leader.use(() => does(leader));
  }

  /** Where a session goes on that was full; else the same. */
  current(id: string): string {
    let current = id;
    for (let next = this.#moved.get(current); next !== undefined; next = this.#moved.get(current)) current = next;
    return current;
  }

  activity(id: string): SessionActivity {
    const leader = this.#leaders.get(id);
    const current = leader?.current;
    if (leader === undefined || current === undefined) return { kind: leader?.isOpen ? 'free' : 'not-held' };
    const { promptId, since } = current;
    const queued = leader.queued.filter(isPromised).length;
    return { promptId, since, queued, ...waitingFor(this.#options.questions.list(id)) };
  }

  /** Ids of the sessions that this host leads or led lately, the last one first. */
  lately(): readonly string[] {
    return this.#seen.list().map(([id]) => id);
  }

  see(id: string): void {
    this.#seen.see(id, undefined);
  }

  /** It was removed. */
  forget(id: string): void {
    this.#seen.forget(id);
  }

  /** Closes the turns that a server left open which was killed, and continues with what waited. Never rejects. */
  async recover(signal: AbortSignal): Promise<void> {
    const { app } = this.#options;
    for (const id of notedTurns(app)) {
      if (signal.aborted) return;
      if (this.#leaders.has(id)) continue;
      try {
        if (!(await app.store.has(id))) forgetTurn(app, id);
        else if ((await app.store.holder(id)) === undefined) await this.use(id, (leader) => leader.recover());
      } catch (error) {
        const fields = { service: 'host', operation: 'recover', sessionId: id, error };
        app.log.warn({ ...fields, action: 'Its next opening closes it.' }, 'An interrupted turn could not be closed');
      }
    }
  }

  /** Ends all turns in order. */
  async end(): Promise<void> {
    await Promise.all([...this.#leaders.values()].map((leader) => leader.end()));
  }

  #lead(id: string): Leader {
    const { app, followers, questions, limits, useAppOf } = this.#options;
    let joined: JoinedSignals | undefined;
    const leader: Leader = new Leader(id, {
      app,
      useApp: () => useAppOf(leader.id),
      hosting: {
        users: usersOf({
          ...{ questions, allowUnattended: app.config.server.allowUnattended },
          ...{ id: () => leader.id, onEdits: () => setMode(leader, 'edits') },
        }),
        holdMs: limits.holdMs,
        lockedError: (error) => lockedError(app, leader.id, error),
        follow: async (followed) => {
          const { follower, end } = await followers.use(followed);
          return { hint: () => follower.hint(), end };
        },
      },
      perform: async (...asked) => (await import('../../lead/ask.ts')).ask(...asked),
      onSignal: (signal) => {
        // A piece of an answer is sent before the event that was stored after it.
        if (signal.type !== 'turn') joined?.flush();
        if (signal.type === 'turn') {
          joined ??= joinedSignals((promptId, passing, behind) =>
            followers.signal(leader.id, { type: 'turn', promptId, signal: signalJson(passing) }, behind),
          );
          joined.take(signal);
        } else this.#hear(leader, signal);
      },
    });
    this.#leaders.set(id, leader);
    return leader;
  }

  #hear(leader: Leader, signal: Exclude<LeadSignal, { readonly type: 'turn' }>): void {
    const { followers } = this.#options;
    const { id } = leader;
    switch (signal.type) {
      case 'turn-end':
        this.#ended[signal.how] = (this.#ended[signal.how] ?? 0) + 1;
        this.see(id);
        break;
      case 'activity':
        followers.signal(id, { type: 'activity', activity: this.activity(id) });
        break;
      case 'queue':
        followers.signal(id, { type: 'queue', queue: leader.queued.map(queuedOf) });
        break;
      case 'notice':
      case 'problem':
        followers.signal(id, signal);
        break;
      case 'moved':
        this.#move(leader, signal.before);
        break;
      case 'appended':
        this.#appends += signal.events;
        break;
      case 'prompt-stored':
        this.#synced.prompts += 1;
        this.#synced.ms += signal.ms;
        break;
      case 'rest':
        if (this.#leaders.get(id) === leader) this.#leaders.delete(id);
    }
  }

  #move(leader: Leader, before: string): void {
    this.#options.followers.signal(before, { type: 'moved', to: leader.id });
    this.#leaders.delete(before);
    this.#leaders.set(leader.id, leader);
    this.#moved.set(before, leader.id);
    const [oldest] = this.#moved.keys();
    if (this.#moved.size > REMEMBERED && oldest !== undefined) this.#moved.delete(oldest);
    this.see(leader.id);
  }
}
