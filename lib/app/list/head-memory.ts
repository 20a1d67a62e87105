// What the ends of the files of other programs said, so that a program that lists again and again reads only those that
// have changed since. Of those that were listed longest ago, nothing is kept.
import type { Head } from '../../agents/agent.ts';
import type { SourceFile } from '../../catalog/index-session.ts';
import type { Clock } from '../../platform/clock.ts';
import { isSettled } from '../../platform/files/settled.ts';

/** About half a kilobyte each. */
const MOST_KEPT = 20_000;
const FORGOTTEN_AT_ONCE = 1_000;

export class HeadMemory {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #kept = new Map<string, { readonly stamp: string; readonly head: Head }>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** @throws what `read` throws */
  async of(address: string, file: SourceFile, read: () => Promise<Head>): Promise<Head> {
    const { inode, size, changedNs } = file;
    const stamp = `${inode} ${size} ${changedNs}`;
    const known = this.#kept.get(address);
    this.#kept.delete(address);
    const isSettled = this.isSettled(file);
    const head = known?.stamp === stamp ? known.head : await read();
    if (isSettled) this.#kept.set(address, { stamp, head });
    if (this.#kept.size > MOST_KEPT) this.#forgetOldest();
    return head;
  }

  /** Whether a later change of the file will show. */
  isSettled(file: SourceFile): boolean {
    return isSettled(file, this.#clock.now());
  }

  /** Many at a time: each walk over a Map begins at the places of those that were deleted from it. */
  #forgetOldest(): void {
    let left = FORGOTTEN_AT_ONCE;
    for (const address of this.#kept.keys()) {
      if (left === 0) return;
      this.#kept.delete(address);
      left -= 1;
    }
  }
}
