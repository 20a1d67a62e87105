import { memoryFileSystem } from '../../../lib/platform/index.ts';
import { createPlaceholders } from '../../../lib/tools/sandbox/placeholders.ts';

function world(usedElsewhere: readonly string[] = []) {
  const fileSystem = memoryFileSystem();
  fileSystem.makeDirectory('/p');
  const placeholders = createPlaceholders(fileSystem, () => new Set(usedElsewhere));
  return { fileSystem, placeholders, names: () => fileSystem.readDirectory('/p').map(({ name }) => name) };
}

const GIT = { path: '/p/.git', kind: 'directory' } as const;
const BASHRC = { path: '/p/.bashrc', kind: 'file' } as const;

test('placeholders exist until they are released, which may be done twice', () => {
  const { placeholders, names } = world();
  const held = placeholders.hold([GIT, BASHRC]);
  expect(held.paths).toEqual(['/p/.git', '/p/.bashrc']);
  expect(names()).toEqual(['.bashrc', '.git']);
  held.release();
  held.release();
  expect(names()).toEqual([]);
});

test('the last holder removes a placeholder', () => {
  const { placeholders, names } = world();
  const first = placeholders.hold([GIT]);
  const second = placeholders.hold([GIT]);
  first.release();
  first.release();
  expect(names()).toEqual(['.git']);
  second.release();
  expect(names()).toEqual([]);
});

test('a placeholder of a crashed process is taken over', () => {
  const { fileSystem, placeholders, names } = world();
  placeholders.hold([GIT, BASHRC]);
  const afterCrash = createPlaceholders(fileSystem, () => new Set());
  expect([afterCrash.isPlaceholder('/p/.git'), afterCrash.isPlaceholder('/p/.bashrc')]).toEqual([true, true]);
  afterCrash.hold([GIT, BASHRC]).release();
  expect(names()).toEqual([]);
});

test('a placeholder that a different process uses stays', () => {
  const { placeholders, names } = world(['/p/.git']);
  placeholders.hold([GIT]).release();
  expect(names()).toEqual(['.git']);
});

test('a file of a different program is not a placeholder, and is never removed', () => {
  const { fileSystem, placeholders, names } = world();
  fileSystem.makeDirectory('/p/.git');
  fileSystem.open('/p/.bashrc', 'create').close();
  expect([placeholders.isPlaceholder('/p/.git'), placeholders.isPlaceholder('/p/.bashrc')]).toEqual([false, false]);
  expect(() => placeholders.hold([GIT])).toThrow(/came to be at this moment/);
  expect(names()).toEqual(['.bashrc', '.git']);
});

test('a file that was put into a placeholder, or text that was written to one, stays', () => {
  const { fileSystem, placeholders, names } = world();
  const held = placeholders.hold([GIT, BASHRC]);
  fileSystem.changeMode('/p/.git', 0o755);
  fileSystem.open('/p/.git/HEAD', 'create').close();
  fileSystem.changeMode('/p/.git', 0o1555);
  fileSystem.changeMode('/p/.bashrc', 0o644);
  fileSystem.open('/p/.bashrc', 'append').write(Buffer.from('alias'));
  fileSystem.changeMode('/p/.bashrc', 0o1444);
  held.release();
  expect(names()).toEqual(['.bashrc', '.git']);
});

test('a place where nothing can be created needs no placeholder', () => {
  const { fileSystem, placeholders } = world();
  fileSystem.open('/p/file', 'create').close();
  expect(placeholders.hold([{ path: '/p/file/below', kind: 'file' }]).paths).toEqual([]);
});

test('if one placeholder cannot be created, none is', () => {
  const { fileSystem, placeholders, names } = world();
  fileSystem.makeDirectory('/p/.git');
  expect(() => placeholders.hold([BASHRC, GIT])).toThrow(/came to be at this moment/);
  expect(names()).toEqual(['.git']);
});
