// Keeps the earlier content of files that a call is about to change, so that they can be put back: whole, in a file
// under blobs/. No secret is kept. If the content holds one, only the replaced stretch is kept, because the rest is in
// the file afterwards as well; if that stretch touches a secret, nothing is kept.
import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { setImmediate as breathe } from 'node:timers/promises';
import type { EventData } from '../../events/index.ts';
import type { ChangedFile } from '../../tools/tool.ts';
import { createScrubber } from '../redact-event.ts';
import type { Turn } from '../turn.ts';
import type { TurnTools } from '../turn-tools.ts';

type KeptChange = NonNullable<EventData<'tool.started'>['changes']>[number];
type KeptBefore = NonNullable<KeptChange['before']>;
type Kept = Pick<KeptBefore, 'blob' | 'shared' | 'notKept'>;

/** Bytes around a secret that count as a part of it. */
const MARGIN_BYTES = 64;

/** Undefined where the plan names no files. @throws what storing an attachment throws */
export async function keepChanges(
  turn: Turn,
  { keepsOutputs }: Pick<TurnTools, 'keepsOutputs'>,
  files: readonly ChangedFile[] = [],
): Promise<KeptChange[] | undefined> {
  const changes: KeptChange[] = [];
  for (const { path, before, after, madeDirectory } of files) {
    changes.push({
      path,
      ...(before && { before: { ...factsOf(before.bytes), mode: before.mode, ...(await kept(before.bytes, after)) } }),
      ...(after && { after: factsOf(after) }),
      ...(madeDirectory === undefined ? {} : { madeDirectory }),
    });
  }
  return changes.length === 0 ? undefined : changes;

  async function kept(before: Uint8Array, after: Uint8Array | undefined): Promise<Kept> {
    if (keepsOutputs === false) return { notKept: 'outputs-off' };
    const { store } = turn.dependencies;
    const secret = await secretStretch(before, turn);
    if (secret === undefined) return { blob: await store.putBlob(before, turn.session.id) };
    const shared = sharedEnds(before, after ?? new Uint8Array());
    const [from, to] = [shared.start, before.length - shared.end];
    const touches = from < secret.to + MARGIN_BYTES && secret.from - MARGIN_BYTES < to;
    if (touches) return { notKept: 'secret' };
    return { blob: await store.putBlob(before.subarray(from, to), turn.session.id), shared };
  }
}

function factsOf(bytes: Uint8Array): { readonly sha256: string; readonly bytes: number } {
  return { sha256: hash('sha256', bytes, 'hex'), bytes: bytes.length };
}

interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** From the first byte of the first secret to the end of the last one, or more; undefined without secrets. */
async function secretStretch(bytes: Uint8Array, { dependencies }: Turn): Promise<Stretch | undefined> {
  if (dependencies.redactor === undefined) return undefined;
  // Bytes that are not text are read as one character each, so that a key in them is found too.
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(encoding);
  const clean = await createScrubber(dependencies.redactor).long(text);
  if (clean === text) return undefined;
  await breathe();
  const { start, end } = sharedEnds(bytes, Buffer.from(clean, encoding));
  return { from: start, to: bytes.length - end };
}

/** How many bytes at the beginning and at the end are the same. */
function sharedEnds(one: Uint8Array, other: Uint8Array): NonNullable<KeptBefore['shared']> {
  const most = Math.min(one.length, other.length);
  let start = 0;
  while (start < most && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < most - start && one[one.length - 1 - end] === other[other.length - 1 - end]) end += 1;
  return { start, end };
}
