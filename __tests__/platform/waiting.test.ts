import { getEventListeners, once } from 'node:events';
import * as fc from 'fast-check';
import { deadline, onAbort, systemSleep, unlessAborted, untilAborted, waitFor } from '../../lib/platform/waiting.ts';

const never = new Promise<never>(() => {});
const LONG_MS = 3_600_000;

describe('a wait', () => {
  test('ends with the result of the work', async () => {
    const waited = await waitFor(Promise.resolve(1), { signal: new AbortController().signal, timeoutMs: LONG_MS });
    expect(waited).toEqual({ kind: 'done', value: 1 });
  });

  test('rejects with the error of the work', async () => {
    await expect(waitFor(Promise.reject(new Error('broken')), { timeoutMs: LONG_MS })).rejects.toThrow('broken');
  });

  test('ends when its time is over', async () => {
    expect(await waitFor(never, { timeoutMs: 1 })).toEqual({ kind: 'timeout' });
  });

  test.each([0, 5])('ends with the signal, whenever that aborts, after a grace period of %d ms', async (graceMs) => {
    expect(await waitFor(never, { signal: AbortSignal.abort(), graceMs })).toEqual({ kind: 'aborted' });
    const stop = new AbortController();
    const waited = waitFor(never, { signal: stop.signal, graceMs });
    stop.abort();
    expect(await waited).toEqual({ kind: 'aborted' });
  });

  test('returns a result within the grace period', async () => {
    const stop = new AbortController();
    const work = Promise.withResolvers<string>();
    const waited = waitFor(work.promise, { signal: stop.signal, graceMs: LONG_MS });
    stop.abort();
    work.resolve('late');
    expect(await waited).toEqual({ kind: 'done', value: 'late' });
  });

  test('treats a failure after the signal as the abort', async () => {
    const stop = new AbortController();
    const work = Promise.withResolvers<string>();
    const waited = waitFor(work.promise, { signal: stop.signal, graceMs: LONG_MS });
    stop.abort();
    work.reject(new Error('given up'));
    expect(await waited).toEqual({ kind: 'aborted' });
  });

  test('leaves no later failure unhandled', async () => {
    const work = Promise.withResolvers<string>();
    expect(await waitFor(work.promise, { timeoutMs: 1 })).toEqual({ kind: 'timeout' });
    const unhandled: unknown[] = [];
    const listener = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', listener);
    work.reject(new Error('too late'));
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', listener);
    expect(unhandled).toEqual([]);
  });

  test('leaves no listener and no timer, however it ends', async () => {
    const ends = fc.constantFrom('done', 'broken', 'aborted', 'timeout');
    await fc.assert(
      fc.asyncProperty(ends, fc.constantFrom(0, 1, LONG_MS), async (end, graceMs) => {
        const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
        const before = timers();
        const stop = new AbortController();
        const work = Promise.withResolvers<void>();
        const { signal } = stop;
        const waited = waitFor(work.promise, { signal, graceMs, timeoutMs: end === 'timeout' ? 1 : LONG_MS });
        if (end === 'done') work.resolve();
        if (end === 'broken') work.reject(new Error('broken'));
        if (end === 'aborted') {
          stop.abort();
          if (graceMs === LONG_MS) work.resolve();
        }
        await waited.catch(() => undefined);
        expect(getEventListeners(signal, 'abort')).toHaveLength(0);
        expect(timers()).toBeLessThanOrEqual(before);
      }),
    );
  });
});

test('a wait until an abort is undefined after the abort', async () => {
  expect(await untilAborted(Promise.resolve('done'), new AbortController().signal)).toBe('done');
  expect(await untilAborted(never, AbortSignal.abort())).toBeUndefined();
});

test('a wait unless aborted rejects with the reason of the signal', async () => {
  expect(await unlessAborted(Promise.resolve('done'), undefined)).toBe('done');
  await expect(unlessAborted(never, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
});

test('a listener to an abort is called once, also by an already aborted signal, and not after it was removed', () => {
  const calls: string[] = [];
  const stop = new AbortController();
  onAbort(stop.signal, () => calls.push('stopped'))();
  onAbort(stop.signal, () => calls.push('before'));
  stop.abort();
  onAbort(stop.signal, () => calls.push('after'));
  expect(calls).toEqual(['before', 'after']);
});

test('a sleep ends with its signal', async () => {
  const stop = new AbortController();
  const sleep = systemSleep(LONG_MS, stop.signal);
  stop.abort();
  await expect(sleep).resolves.toBeUndefined();
});

test('a deadline aborts when its time is over, and not after it was stopped', async () => {
  const [over, ended] = [deadline(1), deadline(1)];
  ended.end();
  await once(over.signal, 'abort');
  expect([over.signal.aborted, ended.signal.aborted]).toEqual([true, false]);
});
