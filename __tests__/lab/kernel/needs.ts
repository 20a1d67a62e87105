// Requirements of the cases on the machine. A case without them is skipped, with the reason printed: a test that is
// silently left out proves nothing.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type Need = 'strace' | 'prlimit' | 'mounts' | 'ext4' | 'another user';

export const NOBODY = 65534;

/** Why a need is not met; undefined if it is. */
export function missing(need: Need): string | undefined {
  if (!known.has(need)) known.set(need, REASONS[need]());
  return known.get(need);
}

/** `describe`, or a skipped one whose title names the missing requirement. */
export function describeWith(need: Need, title: string, tests: () => void): void {
  const reason = missing(need);
  if (reason === undefined) return void describe(title, tests);
  process.stderr.write(`skipped: ${title}: ${reason}\n`);
  describe.skip(`${title} (skipped: ${reason})`, tests);
}

const known = new Map<Need, string | undefined>();

const REASONS: Record<Need, () => string | undefined> = {
  strace() {
    if (!answers('strace', ['-V'])) return 'there is no strace';
    const traced = ['-f', '-o', '/dev/null', '-e', 'inject=close:error=EIO:when=9999', 'true'];
    return answers('strace', traced) ? undefined : 'strace may not trace processes here';
  },
  prlimit: () => (answers('prlimit', ['--version']) ? undefined : 'there is no prlimit (util-linux)'),
  mounts() {
    if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'mounting takes root on Linux';
    const directory = mkdtempSync(join(tmpdir(), 'ollm-mount-'));
    try {
      if (!answers('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'ollm-lab', directory])) return 'mounting is not allowed';
      spawnSync('umount', ['-l', directory]);
      return undefined;
    } finally {
      rmdirSync(directory);
    }
  },
  ext4() {
    const reason = missing('mounts');
    if (reason !== undefined) return reason;
    if (!answers('mkfs.ext4', ['-V'])) return 'there is no mkfs.ext4 (e2fsprogs)';
    if (!answers('losetup', ['-f'])) return 'there is no loop device';
    return answers('perl', ['-e', '1']) ? undefined : 'there is no perl to call ioctl with';
  },
  'another user'() {
    if (process.getuid?.() !== 0) return 'only root can start a process of another user';
    return canBeNobody() ? undefined : `another user may not run ${process.execPath}`;
  },
};

function canBeNobody(): boolean {
  return spawnSync(process.execPath, ['-e', '0'], { stdio: 'ignore', uid: NOBODY, cwd: tmpdir() }).status === 0;
}

function answers(program: string, args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}
