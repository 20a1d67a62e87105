// What work takes of the processor, whatever else runs beside it: for what is held against a time, and not against a peer that
// waits for the same machine.

/** Of this process, its collector included. */
export function processorSeconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  return secondsSince(before);
}

/** The same for work that waits now and then. */
export async function processorSecondsOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  return secondsSince(before);
}

function secondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
