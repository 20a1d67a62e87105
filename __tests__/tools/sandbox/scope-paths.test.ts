import fc from 'fast-check';
import { isInside } from '../../../lib/platform/files/inside.ts';
import type { FileKind } from '../../../lib/platform/index.ts';
import { type DiskLook, scopePaths } from '../../../lib/tools/sandbox/scope-paths.ts';
import type { SandboxScope } from '../../../lib/tools/sandboxing.ts';

/**
 * A disk as a list of its files; a path that ends in a slash is a directory, `a -> b` a link. Directories above come by
 * themselves.
 */
function disk(...entries: string[]): DiskLook {
  const kinds = new Map<string, FileKind>([['/', 'directory']]);
  const links = new Map<string, string>();
  for (const entry of entries) {
    const [written = '', target] = entry.split(' -> ');
    const path = written.replace(/\/$/, '');
    for (let end = path.indexOf('/', 1); end !== -1; end = path.indexOf('/', end + 1))
      kinds.set(path.slice(0, end), 'directory');
    kinds.set(path, target === undefined ? (written.endsWith('/') ? 'directory' : 'file') : 'link');
    if (target !== undefined) links.set(path, target);
  }
  const real = (path: string): string | undefined => {
    let at = '';
    for (const part of path.split('/').filter(Boolean)) {
      at = `${at}/${part}`;
      const target = links.get(at);
      if (target !== undefined) return real(target + path.slice(at.length));
    }
    return kinds.has(at || '/') ? at || '/' : undefined;
  };
  return {
    kind: (path) => kinds.get(path),
    real,
    names: (folder) =>
      [...kinds.keys()]
        .filter((path) => path !== '/' && path.slice(0, path.lastIndexOf('/') || 1) === folder)
        .map((path) => path.slice(path.lastIndexOf('/') + 1)),
  };
}

const paths = (look: DiskLook, scope: Partial<SandboxScope>) => {
  const { mounts, absent, hidden } = scopePaths(
    { writable: [], protected: [], hidden: [], network: false, ...scope },
    look,
  );
  return {
    mounts: mounts.map(({ path, isWritable }) => `${isWritable ? 'rw' : 'ro'} ${path}`),
    absent: absent.map(({ path, kind }) => `${kind} ${path}`),
    hidden: hidden.map(({ path, kind }) => `${kind} ${path}`),
  };
};

test('a path outside the writable directories needs no protection', () => {
  const look = disk('/p/', '/home/.bashrc');
  expect(paths(look, { writable: ['/p'], protected: ['/home/.bashrc', '/home/.zshrc', '/etc/x/'] })).toEqual({
    mounts: ['rw /p'],
    absent: [],
    hidden: [],
  });
});

test('an existing path is mounted read-only, and a missing one gets a placeholder of its kind', () => {
  const look = disk('/p/.git/config');
  const scope = { writable: ['/p'], protected: ['/p/.git/', '/p/.ollm/', '/p/.bashrc'] };
  expect(paths(look, scope)).toMatchObject({
    mounts: ['rw /p', 'ro /p/.git'],
    absent: ['directory /p/.ollm', 'file /p/.bashrc'],
  });
});

test('if the directory above is missing too, that directory gets the placeholder', () => {
  expect(paths(disk('/p/'), { writable: ['/p'], protected: ['/p/.config/fish/config.fish'] }).absent).toEqual([
    'directory /p/.config',
  ]);
});

test('directories on the way are pinned, because moving one would move the protected path', () => {
  const look = disk('/p/a/b/c');
  expect(paths(look, { writable: ['/p'], protected: ['/p/a/b/c'] }).mounts).toEqual([
    'rw /p',
    'rw /p/a',
    'rw /p/a/b',
    'ro /p/a/b/c',
  ]);
});

test('protected wins over writable, whichever is inside the other', () => {
  const look = disk('/home/.ollm/x/', '/p/');
  expect(paths(look, { writable: ['/p', '/home/.ollm/x'], protected: ['/home/.ollm/'] }).mounts).toEqual([
    'rw /p',
    'ro /home/.ollm',
  ]);
});

test('next to a protected link no name can change, and its target is protected', () => {
  const look = disk('/p/.git -> /p/real', '/p/real/', '/p/src/', '/p/file');
  expect(paths(look, { writable: ['/p'], protected: ['/p/.git/'] }).mounts).toEqual([
    'ro /p',
    'rw /p/src',
    'rw /p/file',
    'ro /p/real',
  ]);
});

test('the placeholder of a second run counts as missing: it is held again, and not hidden', () => {
  const real = disk('/p/.ollm/', '/p/.env');
  const look: DiskLook = { ...real, kind: (path) => (path === '/p/.ollm' ? undefined : real.kind(path)) };
  const scope = { writable: ['/p'], protected: ['/p/.ollm/'], hidden: ['/p/.ollm', '/p/.env'] };
  expect(paths(look, scope)).toEqual({ mounts: ['rw /p'], absent: ['directory /p/.ollm'], hidden: ['file /p/.env'] });
});

test('a hidden path is hidden at its real place, and paths inside it need nothing more', () => {
  const look = disk('/home/.ssh -> /vault/keys', '/vault/keys/id', '/home/.netrc');
  const hidden = ['/home/.ssh', '/vault/keys/id', '/home/.netrc', '/home/.aws'];
  expect(paths(look, { hidden }).hidden).toEqual(['directory /vault/keys', 'file /home/.netrc']);
});

describe('for any disk and scope', () => {
  const part = fc.constantFrom('a', 'b', 'c');
  const path = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join('/')}`);
  const trees = fc.array(
    fc.record({ path, isFolder: fc.boolean() }).map(({ path, isFolder }) => (isFolder ? `${path}/` : path)),
    { maxLength: 8 },
  );
  // A later entry would turn a file into a directory: directories are told last.
  const looks = trees.map((entries) => disk(...entries.toSorted((a, b) => a.length - b.length)));
  const list = fc.array(path, { maxLength: 3 });

  test('no protected path is in a writable mount, and each missing one has a placeholder', () => {
    fc.assert(
      fc.property(looks, list, list, (look, writable, wanted) => {
        const { mounts, absent } = scopePaths({ writable, protected: wanted, hidden: [], network: false }, look);
        for (const each of wanted) {
          const decides = mounts.filter(({ path }) => isInside(path, each)).at(-1);
          const isHeld = absent.some(({ path }) => isInside(path, each));
          expect(decides === undefined || !decides.isWritable || isHeld).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('parents are mounted before their contents, and nothing twice', () => {
    fc.assert(
      fc.property(looks, list, list, (look, writable, wanted) => {
        const { mounts } = scopePaths({ writable, protected: wanted, hidden: [], network: false }, look);
        mounts.forEach(({ path }, index) => {
          for (const later of mounts.slice(index + 1)) expect(isInside(later.path, path)).toBe(false);
        });
      }),
      { numRuns: 500 },
    );
  });
});
