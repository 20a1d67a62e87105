// What only a store on servers needs: its streams made and reported, and what crashes left there found and removed.
import { OllmError } from '../errors/index.ts';
import type { NatsAccess } from './access.ts';
import { asked } from './errors.ts';
import { forgetIfGone } from './forget.ts';
import { removeGeneration } from './generations.ts';
import { isAnyHeld } from './lease.ts';
import { allRecords, type Listing } from './listing.ts';
import { namesInDoubt, problemOfNames } from './lost-names.ts';
import { isPasswordOpen } from './open-password.ts';
import { prepareStore } from './prepare.ts';
import { sweepBlobs } from './purge.ts';
import { generationsOf } from './record.ts';

/** What a store on servers is like now. */
export interface StoreReport {
  /** The version of nats-server. */
  readonly version: string;
  /** The stream of the journals, that of the names and that of the attachments. */
  readonly streams: readonly StreamReport[];
  /** Whether a password or a token goes to another machine unencrypted. */
  readonly isPasswordOpen: boolean;
}

interface StreamReport {
  readonly name: string;
  /** Copies, and how many of them are away or have not caught up. */
  readonly replicas: number;
  readonly behind: number;
}

export interface StoreCare {
  /** Makes the stream and the buckets of the tenant, if they are not there. */
  prepare(): Promise<{ readonly made: boolean }>;
  report(): Promise<StoreReport>;
  /** What crashes left: generations without a name. */
  unnamed(): Promise<readonly { readonly id: string; readonly generation: string; readonly bytes: number }[]>;
  /** Why those may be sessions whose names were lost, which `sweep` does not remove; undefined if they are not. */
  problemOfNames(): Promise<string | undefined>;
  /**
   * Removes them, the names of sessions of which nothing is left, and attachments older than an hour that no journal
   * names, unless a session is open. Returns the numbers of removed generations and attachments. Attachments stay while
   * a session is damaged or encrypted: its attachments cannot be known.
   * @throws OllmError JOURNAL_LOCKED; STORE_NOT_READY: the names may be lost, and nothing was removed
   */
  sweep(): Promise<{ readonly generations: number; readonly attachments: number }>;
}

export function careOf(access: NatsAccess, listing: Listing): StoreCare {
  const { ports, place, layout } = access;
  return {
    prepare: async () => prepareStore(access.client, await access.connected(), layout, { replicas: place.replicas }),
    async report() {
      const { streams, connection } = await access.open();
      const names = [layout.stream, layout.namesStream, layout.objectsStream];
      const infos = await asked('Cannot look up the streams', () =>
        Promise.all(names.map((each) => streams.info(each))),
      );
      const reports = infos.map(({ config, cluster }) => ({
        name: config.name,
        replicas: config.num_replicas,
        behind: (cluster?.replicas ?? []).filter(({ current }) => !current).length,
      }));
      return { version: connection.info?.version ?? '', streams: reports, isPasswordOpen: isPasswordOpen(place) };
    },
    unnamed: async () => listing.unnamed(await access.open()),
    async problemOfNames() {
      const each = await access.open();
      return problemOfNames(each, await listing.unnamed(each));
    },
    async sweep() {
      const each = await access.open();
      const unnamed = await listing.unnamed(each);
      if (await isAnyHeld(each)) throw openSessions();
      // Asked again afterwards: a generation that was being made may have its name now.
      const still = new Set((await listing.unnamed(each)).map(({ generation }) => generation));
      const left = unnamed.filter(({ generation }) => still.has(generation));
      const problem = await problemOfNames(each, left);
      if (problem !== undefined) throw namesInDoubt(each, problem);
      for (const { id, generation } of left) await removeGeneration(each, id, generation);
      for (const [id, record] of await allRecords(each)) {
        if (generationsOf(record).length === 0) await forgetIfGone(each, id);
      }
      return { generations: left.length, attachments: await sweepBlobs(each, ports) };
    },
  };
}

function openSessions(): OllmError {
  return new OllmError('JOURNAL_LOCKED', 'A session is open, or being made: nothing was removed.', {
    hint: 'Close the sessions of this tenant, wait 30 seconds, and try again.',
  });
}
