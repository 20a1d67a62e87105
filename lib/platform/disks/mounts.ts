// Where the processes of this machine have something mounted. On Linux; other systems do not say.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** The paths at which processes in other mount namespaces have something mounted. */
export function mountPointsElsewhere(): ReadonlySet<string> {
  const points = new Set<string>();
  if (process.platform !== 'linux') return points;
  const looked = new Set([namespaceOf('self')]);
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const namespace = namespaceOf(pid);
    if (namespace === undefined || looked.has(namespace)) continue;
    looked.add(namespace);
    for (const point of mountPointsOf(pid)) points.add(point);
  }
  return points;
}

/** Undefined for a process that is gone, or belongs to another user. */
function namespaceOf(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/mnt`);
  } catch {
    return undefined;
  }
}

function mountPointsOf(pid: string): string[] {
  try {
    const lines = readFileSync(`/proc/${pid}/mountinfo`, 'utf8').split('\n');
    return lines.map((line) => unescapePath(line.split(' ')[4] ?? ''));
  } catch {
    return [];
  }
}

/** The kernel writes white space and backslashes as `\040`: octal bytes. */
function unescapePath(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
