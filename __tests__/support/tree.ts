// A directory of a test's own, filled from a plain object of paths and contents, gone when the test is.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface Tree extends Disposable {
  readonly root: string;
  /** Writes files; a path that ends in `/` makes a directory. */
  write(files: Readonly<Record<string, string | Uint8Array>>): void;
}

export function createTree(files: Readonly<Record<string, string | Uint8Array>> = {}): Tree {
  const root = mkdtempSync(join(tmpdir(), 'ollm-tree-'));
  const tree: Tree = {
    root,
    write(more) {
      for (const [path, content] of Object.entries(more)) {
        const target = join(root, path);
        mkdirSync(path.endsWith('/') ? target : dirname(target), { recursive: true });
        if (!path.endsWith('/')) writeFileSync(target, content);
      }
    },
    [Symbol.dispose]() {
      try {
        rmSync(root, { recursive: true, force: true });
      } catch {
        // A test has taken the permissions of a directory away: only root can remove one without them.
        spawnSync('chmod', ['-R', 'u+rwx', root], { stdio: 'ignore' });
        rmSync(root, { recursive: true, force: true });
      }
    },
  };
  tree.write(files);
  return tree;
}
