// An app for each workspace in use, over the same sessions, catalogue and log. If there are too many, the one unused
// for longest is closed; an app in use stays.
import type { App } from '../../app/app.ts';
import { createApp } from '../../app/compose.ts';
import type { AppInUse } from '../../lead/types.ts';
import type { HostOptions } from '../types.ts';

interface Kept {
  readonly app: Promise<App>;
  users: number;
}

export class Apps {
  readonly #shared: App;
  readonly #options: HostOptions;
  readonly #most: number;
  /** By path, the one that was used last at the end. */
  readonly #kept = new Map<string, Kept>();

  constructor(shared: App, options: HostOptions, most: number) {
    this.#shared = shared;
    this.#options = options;
    this.#most = most;
  }

  get size(): number {
    return this.#kept.size;
  }

  /** `path`: absolute, with its links resolved. @throws OllmError CONFIG_INVALID */
  async use(path: string): Promise<AppInUse> {
    const kept = this.#kept.get(path) ?? { app: this.#open(path), users: 0 };
    this.#kept.delete(path);
    this.#kept.set(path, kept);
    kept.users += 1;
    await this.#letGo();
    try {
      const app = await kept.app;
      const end = (): void => {
        kept.users -= 1;
      };
      return { app, end };
    } catch (error) {
      this.#kept.delete(path);
      throw error;
    }
  }

  /** Does something with each, also with those that are being opened. */
  each(work: (app: App) => void): void {
    for (const { app } of this.#kept.values()) app.then(work, () => {});
  }

  async close(): Promise<void> {
    const apps = [...this.#kept.values()].map(({ app }) => app);
    this.#kept.clear();
    for (const { value } of (await Promise.allSettled(apps)).filter((each) => each.status === 'fulfilled')) {
      await value.close();
    }
  }

  #open(path: string): Promise<App> {
    const { env, flags, command = 'ollm serve', parts } = this.#options;
    return createApp({ env, cwd: path, flags, command, parts: { ...parts, shared: this.#shared } });
  }

  async #letGo(): Promise<void> {
    for (const [path, { app, users }] of this.#kept) {
      if (this.#kept.size <= this.#most) return;
      if (users > 0) continue;
      this.#kept.delete(path);
      await (await app).close();
    }
  }
}
