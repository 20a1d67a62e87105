// Keeps the files that this process was started with from the programs that it starts.
import { readdirSync, readFileSync } from 'node:fs';

/**
 * What to put at the descriptors from 3 on. Node marks its own to be closed in a child, and the low ones that it was
 * started with; one beyond a gap, as shells and CI runners leave them, would reach every child. It gets /dev/null
 * there.
 */
export function coveredDescriptors(nothing: number): ('ignore' | number)[] {
  inheritable ??= inheritableDescriptors();
  const leaking = inheritable;
  return Array.from({ length: Math.max(0, (leaking.at(-1) ?? 0) - 2) }, (_, index) =>
    leaking.includes(index + 3) ? nothing : 'ignore',
  );
}

/** Looked up once: what we open ourselves never is inheritable. */
let inheritable: readonly number[] | undefined;

const CLOSE_ON_EXEC = 0o2000000;
/** A number beyond would make a long list of descriptors at each start. */
const MAX_DESCRIPTOR = 4096;

/** On Linux. Other systems do not say. */
function inheritableDescriptors(): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((descriptor) => descriptor > 2 && descriptor <= MAX_DESCRIPTOR && isInheritable(descriptor))
    .sort((a, b) => a - b);
}

function isInheritable(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    return false;
  }
}
