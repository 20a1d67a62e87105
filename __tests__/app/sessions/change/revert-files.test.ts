import { dirname } from 'node:path';
import fc from 'fast-check';
import { lastValueFrom, toArray } from 'rxjs';
import { type AppOptions, createApp } from '../../../../lib/app/compose.ts';
import { forkSession } from '../../../../lib/app/sessions/change/fork-session.ts';
import { planRevert, revertFiles } from '../../../../lib/app/sessions/change/revert-files.ts';
import { openSession } from '../../../../lib/app/sessions/open/open-session.ts';
import { saveSession } from '../../../../lib/app/sessions/open/save-session.ts';
import { ask } from '../../../../lib/lead/ask.ts';
import { writeAll } from '../../../../lib/platform/files/io.ts';
import { countingIds, manualClock, memoryFileSystem, silentLog, thisProcess } from '../../../../lib/platform/index.ts';
import { resolvePath } from '../../../../lib/tools/paths.ts';
import type { Tool } from '../../../../lib/tools/tool.ts';
import { anyCharacter } from '../../../support/any-character.ts';
import { says, scriptedProvider } from '../../../support/scripted-provider.ts';
import { type Call, callsTools } from '../../../turn/tool-world.ts';

const ROOT = '/home/me/project';

/** A tool of the program that removes a file, and reports the removed one. */
function removing(fileSystem: ReturnType<typeof memoryFileSystem>): Tool {
  return {
    name: 'file_remove',
    description: 'Removes a file.',
    parameters: { type: 'object' },
    origin: 'program',
    async plan({ path: given }, place) {
      const { path, stat } = resolvePath(fileSystem, String(given), place);
      const bytes = read(fileSystem, path)!;
      return {
        action: {
          tool: 'file_remove',
          summary: `Remove ${path}`,
          isReadOnly: false,
          accesses: [{ kind: 'write', path }],
        },
        changes: [{ path, before: { bytes, mode: stat!.mode & 0o777 }, after: undefined }],
        async run() {
          fileSystem.unlink(path);
          return { content: 'Removed.' };
        },
      };
    },
  };
}

type FileSystem = ReturnType<typeof memoryFileSystem>;

function read(fileSystem: FileSystem, path: string): Uint8Array | undefined {
  const stat = fileSystem.stat(path);
  if (stat?.kind !== 'file') return undefined;
  const handle = fileSystem.open(path, 'read');
  const bytes = new Uint8Array(stat.size);
  handle.read(bytes, 0);
  handle.close();
  return bytes;
}

function write(fileSystem: FileSystem, path: string, content: string | Uint8Array, mode = 0o644): void {
  fileSystem.makeDirectory(dirname(path));
  if (fileSystem.stat(path) !== undefined) fileSystem.unlink(path);
  const handle = fileSystem.open(path, 'create', mode);
  writeAll(handle, typeof content === 'string' ? Buffer.from(content) : content);
  handle.close();
  fileSystem.changeMode(path, mode);
}

/** Every file and directory of the project, with its permissions. */
function tree(fileSystem: FileSystem, directory = ROOT): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { name } of fileSystem.readDirectory(directory)) {
    const path = `${directory}/${name}`;
    const { kind, mode = 0 } = fileSystem.stat(path)!;
    if (kind === 'directory') Object.assign(found, { [path]: 'directory' }, tree(fileSystem, path));
    else found[path] = `${(mode & 0o777).toString(8)} ${Buffer.from(read(fileSystem, path)!).toString('latin1')}`;
  }
  return found;
}

async function world(flags: AppOptions['flags'] = {}, env: Record<string, string> = {}) {
  const clock = manualClock();
  const fileSystem = memoryFileSystem({ clock });
  fileSystem.makeDirectory(ROOT);
  for (const directory of ['/', '/home', '/home/me']) await fileSystem.syncDirectory(directory);
  const waiting: Call[][] = [];
  const provider = {
    ...scriptedProvider((request) => {
      const calls = request.messages.at(-1)?.role === 'user' ? waiting.shift() : undefined;
      return calls === undefined ? says('Done.') : callsTools(...calls);
    }),
    name: 'offline',
  };
  const start = () =>
    createApp({
      env: { HOME: '/home/me', OLLM_HOME: '/home/me/.ollm', ...env },
      cwd: ROOT,
      flags: { provider: 'offline', ...flags },
      command: 'test',
      parts: {
        fileSystem,
        clock,
        ids: countingIds(),
        process: thisProcess('test'),
        log: silentLog,
        providers: { offline: async () => provider },
        tools: [removing(fileSystem)],
      },
    });
  const app = await start();
  let conversation = await openSession(app, { kind: 'new' });
  let calls = 0;
  const approver = { ask: async () => ({ kind: 'once' }) as const };
  return {
    app,
    fileSystem,
    start,
    get conversation() {
      return conversation;
    },
    set conversation(next) {
      conversation = next;
    },
    get head() {
      return conversation.session.writer.head.seq;
    },
    /** A turn in which the model makes these calls. */
    async turn(...list: readonly (readonly [name: string, args: object])[]) {
      waiting.push(list.map(([name, args]) => ({ name, args, callId: `c${++calls}` })));
      return lastValueFrom(ask(app, conversation, { text: 'go' }, { approver }).pipe(toArray()));
    },
    plan: (request?: Parameters<typeof planRevert>[2]) =>
      planRevert(app, { id: conversation.session.id, store: conversation.store }, request),
    async revert(request?: Parameters<typeof planRevert>[2]) {
      const from = { id: conversation.session.id, store: conversation.store };
      return revertFiles(app, conversation, await planRevert(app, from, request));
    },
    events: async () => {
      const reader = conversation.store.openReader(conversation.session.id);
      const events = [];
      for await (const batch of reader.outcomes())
        for (const outcome of batch) if (outcome.kind === 'event') events.push(outcome.event);
      reader.close();
      return events;
    },
  };
}

const outcomes = (done: readonly { readonly shown: string; readonly outcome: string }[]) =>
  Object.fromEntries(done.map(({ shown, outcome }) => [shown, outcome]));

const KEY = 'sk-proj-Zq8vN3xT7mK2pR5wY9cB4dF6gH1jL0sA8uE3iO7tQ2nM5xV9';

describe('a revert of files that tools changed', () => {
  it('restores the bytes and permissions of a file, and removes one that a tool created, with its directories', async () => {
    const { fileSystem, turn, revert, events } = await world();
    write(fileSystem, `${ROOT}/run.sh`, 'echo one\r\n\xff', 0o750);
    const before = tree(fileSystem);
    await turn(
      ['file_edit', { path: 'run.sh', old_string: 'one', new_string: 'two' }],
      ['file_write', { path: 'deep/down/new.txt', content: 'new\n' }],
    );
    expect(tree(fileSystem)).not.toEqual(before);
    expect(outcomes(await revert())).toEqual({ 'run.sh': 'restored', 'deep/down/new.txt': 'removed' });
    expect(tree(fileSystem)).toEqual(before);
    const stored = (await events()).filter(({ type }) => type === 'files.reverted').map(({ data }) => data.status);
    expect(stored).toEqual(['begun', 'done']);
  });

  it('creates a file again that a tool removed, with its permissions', async () => {
    const { fileSystem, turn, revert } = await world();
    write(fileSystem, `${ROOT}/tool`, 'x', 0o711);
    const before = tree(fileSystem);
    await turn(['file_remove', { path: 'tool' }]);
    expect(tree(fileSystem)).toEqual({});
    expect(outcomes(await revert())).toEqual({ tool: 'made' });
    expect(tree(fileSystem)).toEqual(before);
  });

  it('restores every file to its state at any point, in whole or in part, after any changes of tools', async () => {
    const name = fc.constantFrom('a.txt', 'b/c.txt', 'b/d/e.bin');
    const content = fc
      .oneof(fc.string({ unit: anyCharacter, maxLength: 30 }), fc.constant(`key = "${KEY}"\n`))
      .filter((text) => text.isWellFormed());
    const step = fc.oneof(
      fc.record({ kind: fc.constant('write' as const), name, content }),
      fc.record({ kind: fc.constant('edit' as const), name, content }),
      fc.record({ kind: fc.constant('remove' as const), name }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 6 }),
        fc.nat(),
        fc.option(name, { nil: undefined }),
        async (steps, pick, only) => {
          const state = await world({}, { OLLM_SERVICES__REDACTION__ENABLED: 'false' });
          const { fileSystem, turn, plan, revert } = state;
          write(fileSystem, `${ROOT}/b/d/e.bin`, Buffer.from([0, 255, 10, 13]), 0o640);
          const places = [{ seq: state.head, tree: tree(fileSystem) }];
          for (const { kind, name: path, ...more } of steps) {
            const there = read(fileSystem, `${ROOT}/${path}`);
            const text = 'content' in more ? more.content : '';
            if (kind === 'write') await turn(['file_write', { path, content: text }]);
            else if (there === undefined) continue;
            else if (kind === 'remove') await turn(['file_remove', { path }]);
            else {
              const old = Buffer.from(there).toString().slice(0, 1);
              if (old !== '' && old.isWellFormed())
                await turn(['file_edit', { path, old_string: old, new_string: text, replace_all: true }]);
            }
            places.push({ seq: state.head, tree: tree(fileSystem) });
          }
          const { seq, tree: wanted } = places[pick % places.length]!;
          const last = places.at(-1)!.tree;
          const planned = await plan({ since: seq });
          const isOnly = only !== undefined && planned.files.some(({ shown }) => shown === only);
          const done = await revert({ since: seq, ...(isOnly ? { paths: [only] } : {}) });
          expect(done.map(({ outcome }) => outcome)).not.toContain('refused');
          const files = (all: Record<string, string>) =>
            Object.fromEntries(Object.entries(all).filter(([, value]) => value !== 'directory'));
          if (!isOnly) expect(files(tree(fileSystem))).toEqual(files(wanted));
          else {
            const path = `${ROOT}/${only}`;
            const { [path]: _, ...others } = last;
            expect(tree(fileSystem)[path]).toBe(wanted[path]);
            expect(files(tree(fileSystem))).toMatchObject(files(others));
          }
          // A revert is not reverted again.
          expect((await plan({ since: seq })).files).toHaveLength(isOnly ? planned.files.length - 1 : 0);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('refuses a file that changed since, and shows the changes that it would make', async () => {
    const { fileSystem, turn, plan, revert } = await world();
    write(fileSystem, `${ROOT}/a.txt`, 'one\n');
    await turn(['file_write', { path: 'a.txt', content: 'two\n' }]);
    write(fileSystem, `${ROOT}/a.txt`, 'two\nmine\n');
    const [file] = (await plan()).files;
    expect(file).toMatchObject({ effect: 'refuse', reason: 'a.txt was changed after the tools had changed it.' });
    expect(file?.diff).toContain('-mine');
    expect(outcomes(await revert())).toEqual({ 'a.txt': 'refused' });
    expect(tree(fileSystem)).toEqual({ [`${ROOT}/a.txt`]: '644 two\nmine\n' });
  });

  it('refuses a file that was changed by hand between two calls, and reverts only the newest call', async () => {
    const state = await world();
    const { fileSystem, turn, revert } = state;
    write(fileSystem, `${ROOT}/a.txt`, 'one\n');
    await turn(['file_write', { path: 'a.txt', content: 'two\n' }]);
    write(fileSystem, `${ROOT}/a.txt`, 'mine\n');
    const since = state.head;
    await turn(['file_write', { path: 'a.txt', content: 'three\n' }]);
    expect(outcomes(await revert())).toEqual({ 'a.txt': 'refused' });
    expect(outcomes(await revert({ since }))).toEqual({ 'a.txt': 'restored' });
    expect(tree(fileSystem)).toEqual({ [`${ROOT}/a.txt`]: '644 mine\n' });
  });

  it('leaves a file unchanged that changes between the plan and its execution', async () => {
    const { app, conversation, fileSystem, turn, plan } = await world();
    write(fileSystem, `${ROOT}/a.txt`, 'one\n');
    await turn(['file_write', { path: 'a.txt', content: 'two\n' }]);
    const planned = await plan();
    write(fileSystem, `${ROOT}/a.txt`, 'mine\n');
    expect(outcomes(await revertFiles(app, conversation, planned))).toEqual({ 'a.txt': 'refused' });
    expect(tree(fileSystem)).toEqual({ [`${ROOT}/a.txt`]: '644 mine\n' });
  });

  it('counts a file in its original state as reverted, such as after a crash in the middle', async () => {
    const { fileSystem, turn, plan, revert, conversation } = await world();
    write(fileSystem, `${ROOT}/a.txt`, 'one\n');
    await turn(['file_write', { path: 'a.txt', content: 'two\n' }], ['file_write', { path: 'b.txt', content: 'b\n' }]);
    const begun = { since: 0, status: 'begun', files: [{ path: `${ROOT}/a.txt` }, { path: `${ROOT}/b.txt` }] } as const;
    await conversation.session.append({ type: 'files.reverted', data: { ...begun, files: [...begun.files] } });
    write(fileSystem, `${ROOT}/a.txt`, 'one\n');
    expect(await plan()).toMatchObject({
      begun: { since: 0, paths: [`${ROOT}/a.txt`, `${ROOT}/b.txt`] },
      files: [{ effect: 'same' }, { effect: 'remove' }],
    });
    expect(outcomes(await revert())).toEqual({ 'a.txt': 'same', 'b.txt': 'removed' });
    expect((await plan()).begun).toBeUndefined();
  });

  it('never stores a secret: text around it can be restored, and a file in which it is replaced cannot', async () => {
    const { fileSystem, turn, revert, plan } = await world();
    const lines = `${'a comment of some length, to keep a distance\n'.repeat(4)}`;
    const content = `const key = '${KEY}';\n${lines}const limit = 10;\n`;
    write(fileSystem, `${ROOT}/near.ts`, content);
    write(fileSystem, `${ROOT}/gone.ts`, content);
    const signals = await turn(
      ['file_edit', { path: 'near.ts', old_string: 'limit = 10', new_string: 'limit = 2000' }],
      ['file_write', { path: 'gone.ts', content: 'export {};\n' }],
    );
    expect(signals.filter(({ type }) => type === 'notice')).toHaveLength(1);
    const blobs = fileSystem.readDirectory('/home/me/.ollm/session-data/blobs');
    for (const { name } of blobs)
      expect(Buffer.from(read(fileSystem, `/home/me/.ollm/session-data/blobs/${name}`)!).toString()).not.toContain(KEY);
    expect((await plan()).files.map(({ reason }) => reason)).toEqual([
      undefined,
      'gone.ts cannot be put back: what was replaced holds a secret, which is not stored.',
    ]);
    expect(outcomes(await revert())).toEqual({ 'near.ts': 'restored', 'gone.ts': 'refused' });
    expect(tree(fileSystem)[`${ROOT}/near.ts`]).toBe(`644 ${content}`);
  });

  it('restores nothing if contents are not stored', async () => {
    const { fileSystem, turn, plan } = await world({}, { OLLM_RETENTION__STORE_TOOL_OUTPUTS: 'false' });
    write(fileSystem, `${ROOT}/a.txt`, 'one\n');
    await turn(['file_write', { path: 'a.txt', content: 'two\n' }]);
    expect((await plan()).files).toMatchObject([
      { effect: 'refuse', reason: expect.stringContaining('retention.storeToolOutputs is off') },
    ]);
  });

  it('changes nothing outside the project, through a link, or where keys are, with any contents of the journal', async () => {
    const { fileSystem, conversation, plan, revert } = await world();
    const { session, store } = conversation;
    const blob = await store.putBlob(Buffer.from('evil'), session.id);
    write(fileSystem, '/home/me/.bashrc', 'mine');
    write(fileSystem, `${ROOT}/.git/hooks/pre-commit`, 'mine');
    write(fileSystem, `${ROOT}/.env`, 'mine');
    fileSystem.makeDirectory('/home/me/elsewhere');
    write(fileSystem, '/home/me/elsewhere/f', 'mine');
    fileSystem.symbolicLink('/home/me/elsewhere', `${ROOT}/link`);
    const { hash } = await import('node:crypto');
    const facts = (text: string) => ({ sha256: hash('sha256', text, 'hex'), bytes: text.length });
    const paths = [
      '/home/me/.bashrc',
      `${ROOT}/.git/hooks/pre-commit`,
      `${ROOT}/.env`,
      `${ROOT}/link/f`,
      `${ROOT}/link/new`,
    ];
    const changes = paths.map((path) => ({
      path,
      before: { ...facts('evil'), mode: 0o755, blob },
      after: facts('mine'),
    }));
    await session.append([
      { type: 'tool.requested', turn: 1, data: { callId: 'x', name: 'file_write', args: {} } },
      { type: 'tool.started', turn: 1, data: { callId: 'x', sandbox: 'none', envRemoved: [], changes } },
    ]);
    expect((await plan()).files.map(({ effect }) => effect)).toEqual(paths.map(() => 'refuse'));
    expect(Object.values(outcomes(await revert()))).toEqual(paths.map(() => 'refused'));
    expect(Buffer.from(read(fileSystem, '/home/me/.bashrc')!).toString()).toBe('mine');
    expect(fileSystem.stat('/home/me/elsewhere/new')).toBeUndefined();
  });

  it('names the calls whose effects it cannot put back', async () => {
    const { turn, plan } = await world({}, { OLLM_TOOLS__SANDBOX: 'off' });
    await turn(['file_read', { path: 'x' }], ['bash', { command: 'touch made' }], ['list_files', {}]);
    expect((await plan()).opaque).toMatchObject([{ tool: 'bash', command: 'touch made' }]);
  });

  it('works in a fork, and in a saved ephemeral session', async () => {
    const state = await world();
    const { app, fileSystem, turn } = state;
    write(fileSystem, `${ROOT}/a.txt`, 'one\n');
    await turn(['file_write', { path: 'a.txt', content: 'two\n' }]);
    const since = state.head;
    await turn(['file_write', { path: 'a.txt', content: 'three\n' }]);
    await state.revert({ since });
    const fork = await forkSession(app, state.conversation.session.id);
    await state.conversation.session.close('exit');
    state.conversation = await openSession(app, { kind: 'resume', reference: fork.id });
    expect(outcomes(await state.revert())).toEqual({ 'a.txt': 'restored' });
    expect(tree(fileSystem)).toEqual({ [`${ROOT}/a.txt`]: '644 one\n' });

    state.conversation = await openSession(app, { kind: 'new', ephemeral: true });
    await turn(['file_write', { path: 'a.txt', content: 'four\n' }]);
    state.conversation = await saveSession(app, state.conversation);
    expect(outcomes(await state.revert())).toEqual({ 'a.txt': 'restored' });
    expect(tree(fileSystem)).toEqual({ [`${ROOT}/a.txt`]: '644 one\n' });
  });

  it('names the given files that no tool changed', async () => {
    const { turn, plan } = await world();
    await turn(['file_write', { path: 'a.txt', content: 'two\n' }]);
    await expect(plan({ paths: ['b.txt'] })).rejects.toMatchObject({ code: 'USAGE' });
    expect((await plan({ paths: ['.'] })).files).toHaveLength(1);
  });
});
