// How long others are kept waiting while something goes on.

/** By the clock, and by the processor: what this thread itself computed, whatever other programs did meanwhile. */
export type TimeBy = 'clock' | 'processor';

/** The longest time in which nobody else had a turn while this went on. Milliseconds. */
export async function longestBlock(by: TimeBy, work: () => Promise<unknown>): Promise<number> {
  const time = by === 'clock' ? () => performance.now() : processorTime;
  let longest = 0;
  let last = time();
  let goesOn = true;
  const beat = () => {
    const now = time();
    longest = Math.max(longest, now - last);
    last = now;
    if (goesOn) setImmediate(beat);
  };
  setImmediate(beat);
  await work();
  goesOn = false;
  return longest;
}

function processorTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
