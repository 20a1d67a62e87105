import { join } from 'node:path';
import { upgradeBareSession } from '../../../../lib/app/find/upgrade-session.ts';
import { listSessions } from '../../../../lib/app/list/list-sessions.ts';
import { deleteSession, restoreSession } from '../../../../lib/app/sessions/change/delete-session.ts';
import { forkSession } from '../../../../lib/app/sessions/change/fork-session.ts';
import { retryTurn, undoTurn } from '../../../../lib/app/sessions/change/undo-turn.ts';
import { openSession } from '../../../../lib/app/sessions/open/open-session.ts';
import { rebuildSession, resetSession } from '../../../../lib/app/sessions/open/reset-session.ts';
import { saveSession } from '../../../../lib/app/sessions/open/save-session.ts';
import { switchModel } from '../../../../lib/app/sessions/open/switch-model.ts';
import { searchHistory } from '../../../../lib/app/sessions/read/search-history.ts';
import { showSession } from '../../../../lib/app/sessions/read/show-session.ts';
import { OllmError } from '../../../../lib/errors/index.ts';
import { readFile } from '../../../../lib/platform/files/io.ts';
import type { MemoryFileSystem } from '../../../../lib/platform/index.ts';
import { eventsOf, typesOf, viewTexts } from '../../../session/world.ts';
import { says } from '../../../support/scripted-provider.ts';
import { appWorld, SESSIONS, tell } from '../../world.ts';

const PROMPT = '/home/me/project/reviewer.md';

function write(fileSystem: MemoryFileSystem, path: string, text: string): void {
  if (fileSystem.stat(path)) fileSystem.unlink(path);
  const handle = fileSystem.open(path, 'create');
  handle.write(new TextEncoder().encode(text));
  handle.close();
}

describe('opening a session', () => {
  it('by name creates it once, and returns to it after that', async () => {
    const { app } = await appWorld();
    const first = await openSession(app, { kind: 'name', name: 'Release Notes' });
    expect(first.session.report.created).toBe(true);
    await tell(app, first, 'Hello');
    await first.session.close('exit');
    const second = await openSession(app, { kind: 'name', name: 'Release Notes' });
    expect(second.session.id).toBe('release-notes');
    expect(viewTexts(second.session)).toEqual(['user: Hello', 'assistant: ok']);
    expect(second.session.states.summary.title).toBe('Release Notes');
    await second.session.close('exit');
  });

  it('under a name that exists is refused for a new session', async () => {
    const { app } = await appWorld();
    await (await openSession(app, { kind: 'new', name: 'plans' })).session.close('exit');
    await expect(openSession(app, { kind: 'new', name: 'plans' })).rejects.toMatchObject({ code: 'SESSION_EXISTS' });
  });

  it.each([0, -1, 8192.5])('treats a window of %p tokens, as some servers report it, as unknown', async (said) => {
    const { app, provider } = await appWorld();
    Object.assign(provider, { contextWindow: async () => said });
    const { session, store } = await openSession(app, { kind: 'new', name: 'plans' });
    expect((await eventsOf(store, 'plans'))[0]?.data).not.toHaveProperty('contextWindow');
    expect(session.states.view.provider).toBe('offline');
    await session.close('exit');
  });

  it('from a prompt file returns to the same conversation, also after the prompt was edited, and says so', async () => {
    const { app, fileSystem } = await appWorld();
    write(fileSystem, PROMPT, 'You review code.');
    const first = await openSession(app, { kind: 'prompt-file', promptFile: 'reviewer.md' });
    expect(first.session.id).toMatch(/^reviewer-[0-9a-f]{16}$/);
    await tell(app, first, 'Look at this');
    await first.session.close('exit');
    const created = (await eventsOf(app.store, first.session.id))[0]?.data;
    expect(created?.prompt).toMatchObject({ file: PROMPT, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });

    write(fileSystem, PROMPT, 'You review prose.');
    const second = await openSession(app, { kind: 'prompt-file', promptFile: PROMPT });
    expect(second.session.id).toBe(first.session.id);
    expect(viewTexts(second.session)[0]).toBe('system: You review code.');
    expect(second.notices.join('\n')).toMatch(/has changed since this session began\. "ollm rebuild reviewer-/);
    await second.session.close('exit');

    const { archive } = await rebuildSession(app, second.session.id);
    const third = await openSession(app, { kind: 'prompt-file', promptFile: PROMPT });
    expect(viewTexts(third.session)).toEqual(['system: You review prose.']);
    expect(third.notices).toEqual([]);
    expect(await showSession(app, third.session.id)).toMatchObject({ previous: archive, promptFile: PROMPT });
    await third.session.close('exit');
  });

  it('from a prompt file as a new session is independent of the previous one', async () => {
    const { app, fileSystem } = await appWorld();
    write(fileSystem, PROMPT, 'You review code.');
    const first = await openSession(app, { kind: 'prompt-file', promptFile: PROMPT });
    await first.session.close('exit');
    const second = await openSession(app, { kind: 'new', promptFile: PROMPT });
    expect(second.session.id).not.toBe(first.session.id);
    expect(viewTexts(second.session)).toEqual(['system: You review code.']);
    await second.session.close('exit');
  });

  it('with a missing prompt file is refused, and no session is created', async () => {
    const { app } = await appWorld();
    const open = openSession(app, { kind: 'new', promptFile: 'nowhere.md' });
    await expect(open).rejects.toMatchObject({ code: 'IO_FAILED' });
    expect(await app.store.list()).toEqual([]);
  });

  it('with an unknown model is refused, and no session is created', async () => {
    const { app } = await appWorld({ flags: {} });
    await expect(openSession(app, { kind: 'new', model: 'llama3.2' })).rejects.toMatchObject({
      code: 'MODEL_NOT_FOUND',
      message: expect.stringContaining('No provider was named for the model "llama3.2"'),
    });
    expect(await app.store.list()).toEqual([]);
  });

  it('that a different run has open names the process, and how to read it', async () => {
    const { app } = await appWorld();
    const first = await openSession(app, { kind: 'new', name: 'busy' });
    await expect(openSession(app, { kind: 'resume', reference: 'busy' })).rejects.toMatchObject({
      code: 'JOURNAL_LOCKED',
      exitCode: 5,
    });
    await first.session.close('exit');
  });

  it('whose provider is missing here continues with a different one, and says so', async () => {
    const { app } = await appWorld();
    const writer = await app.store.create('far', { provider: 'elsewhere', model: 'x-1', ollm: '0' });
    await writer.close();
    const { session, choice, notices } = await openSession(app, { kind: 'resume', reference: 'far' });
    expect(choice.provider.name).toBe('offline');
    expect(notices.join('\n')).toMatch(/led with the provider elsewhere.*offline answers now/);
    expect((await eventsOf(app.store, 'far')).at(-1)).toMatchObject({
      type: 'model.changed',
      data: { provider: 'offline' },
    });
    await session.close('exit');
  });

  it('of the older form gives it a journal, and keeps the old file', async () => {
    const { app, fileSystem } = await appWorld();
    fileSystem.makeDirectory(SESSIONS);
    const old = {
      sessionId: 'old',
      model: 'llama3.1:8b',
      provider: 'offline',
      messages: [{ role: 'user', parts: [{ type: 'text', text: 'From before' }], timestamp: '2024-01-15T10:30:00Z' }],
      toolCalls: [],
    };
    write(fileSystem, join(SESSIONS, 'old.json'), JSON.stringify(old));
    expect(await listSessions(app)).toMatchObject([{ id: 'old', problem: expect.stringMatching(/older form/) }]);
    const { session, notices } = await openSession(app, { kind: 'resume', reference: 'old' });
    expect(viewTexts(session)).toEqual(['user: From before']);
    const archived = /archive\/(old\.[0-9-]+\.json)/.exec(notices.join('\n'))?.[1] ?? '';
    expect(fileSystem.stat(join(SESSIONS, 'archive', archived))?.kind).toBe('file');
    expect((await eventsOf(app.store, 'old'))[0]?.data.previous).toEqual({ archive: archived, reason: 'upgrade' });
    await session.close('exit');
    expect(await listSessions(app)).toMatchObject([{ id: 'old', problem: undefined, summary: { messageCount: 1 } }]);
  });

  it('of the older form loses nothing, wherever a crash interrupted the conversion', async () => {
    const texts = ['one', 'two', 'three'];
    const messages = texts.map((text) => ({ role: 'user', parts: [{ type: 'text', text }] }));
    const whole = await appWorld();
    whole.fileSystem.makeDirectory(SESSIONS);
    write(whole.fileSystem, join(SESSIONS, 'old.json'), JSON.stringify({ messages }));
    await upgradeBareSession(whole.app, 'old');
    const lines = Buffer.from(readFile(whole.fileSystem, join(SESSIONS, 'old.jsonl')))
      .toString()
      .split(/(?<=\n)/);
    const [archived = ''] = whole.fileSystem.readNames(join(SESSIONS, 'archive'));
    /** Each step of it in turn: a second name for the document, some of the journal, its own name. */
    const steps: readonly { readonly journal?: string; readonly unfinished?: string }[] = [
      {},
      { journal: '' },
      ...lines.map((_, count) => ({ unfinished: `${lines.slice(0, count).join('')}{"seq":` })),
      { unfinished: lines.join('') },
      { journal: lines.join('') },
    ];
    for (const { journal, unfinished } of steps) {
      const { app, fileSystem } = await appWorld();
      fileSystem.makeDirectory(join(SESSIONS, 'archive'));
      write(fileSystem, join(SESSIONS, 'old.json'), JSON.stringify({ messages }));
      fileSystem.link(join(SESSIONS, 'old.json'), join(SESSIONS, 'archive', archived));
      if (journal !== undefined) write(fileSystem, join(SESSIONS, 'old.jsonl'), journal);
      if (unfinished !== undefined) write(fileSystem, join(SESSIONS, 'old.jsonl.0a.repair'), unfinished);
      const { session, notices } = await openSession(app, { kind: 'resume', reference: 'old' });
      expect(viewTexts(session)).toEqual(texts.map((text) => `user: ${text}`));
      expect(notices.join('\n').includes('was of an older form')).toBe(!journal);
      expect(fileSystem.readNames(join(SESSIONS, 'archive'))).toEqual([archived]);
      await session.save({ snapshot: 'now' });
      await session.close('exit');
      expect(fileSystem.readNames(SESSIONS).filter((name) => name.includes('.repair'))).toEqual([]);
      const again = await openSession(app, { kind: 'resume', reference: 'old' });
      expect(again.notices.join('\n')).not.toContain('was of an older form');
      await again.session.close('exit');
    }
  });
});

describe('a conversation', () => {
  it('is undone turn by turn, and repeated', async () => {
    let answer = 0;
    const { app } = await appWorld({ script: () => says(`answer ${++answer}`) });
    const conversation = await openSession(app, { kind: 'new' });
    for (const text of ['one', 'two']) await tell(app, conversation, text);
    const again = await retryTurn(app, conversation);
    expect(again?.text).toBe('two');
    await tell(app, conversation, again?.text ?? '');
    expect(viewTexts(conversation.session)).toEqual([
      'user: one',
      'assistant: answer 1',
      'user: two',
      'assistant: answer 3',
    ]);
    expect((await undoTurn(app, conversation))?.text).toBe('two');
    expect((await undoTurn(app, conversation))?.text).toBe('one');
    expect(await undoTurn(app, conversation)).toBeUndefined();
    expect(viewTexts(conversation.session)).toEqual([]);
    expect((await typesOf(app.store, conversation.session.id)).filter((type) => type === 'message.added')).toHaveLength(
      6,
    );
    await conversation.session.close('exit');
  });

  it('is not repeated if its last turn was a command of the user, and can be undone', async () => {
    const { app } = await appWorld({ script: () => says('an answer') });
    const conversation = await openSession(app, { kind: 'new' });
    await tell(app, conversation, 'one');
    const typed = { callId: 'typed-2', decision: 'allow', by: 'user', rule: 'typed' } as const;
    await conversation.session.append([
      { type: 'turn.started', turn: 2, data: { input: '!ls' } },
      { type: 'tool.requested', turn: 2, data: { callId: 'typed-2', name: 'bash', args: { command: 'ls' } } },
      { type: 'tool.decided', turn: 2, data: typed },
      { type: 'turn.ended', turn: 2, data: { status: 'completed', steps: 0, durationMs: 1 } },
    ]);
    await expect(retryTurn(app, conversation)).rejects.toMatchObject({ code: 'USAGE' });
    expect((await undoTurn(app, conversation))?.text).toBe('!ls');
    expect((await retryTurn(app, conversation))?.text).toBe('one');
    await conversation.session.close('exit');
  });

  it('stores an ephemeral session nowhere until it is saved', async () => {
    const { app, start } = await appWorld();
    const conversation = await openSession(app, { kind: 'new', ephemeral: true });
    await tell(app, conversation, 'x'.repeat(300_000));
    await tell(app, conversation, 'two');
    const blob = await conversation.store.putBlob(Buffer.from('a picture'), conversation.session.id);
    const images = [{ type: 'image' as const, mediaType: 'image/png', blob }];
    const result = { llmContent: 'see', images };
    const tokens = { count: 1, method: 'estimated' } as const;
    await conversation.session.append([
      { type: 'tool.requested', data: { callId: 'c1', name: 'look', args: {} } },
      { type: 'tool.finished', data: { callId: 'c1', status: 'ok', result, tokens, durationMs: 1, trusted: false } },
    ]);
    expect(await app.store.list()).toEqual([]);

    const kept = await saveSession(app, conversation);
    expect(kept.ephemeral).toBe(false);
    expect(kept.notices.join('\n')).toMatch(/is kept from now on/);
    expect(viewTexts(kept.session)).toEqual(viewTexts(conversation.session));
    await tell(app, kept, 'three');
    await kept.session.close('exit');

    const after = await start();
    const again = await openSession(after, { kind: 'resume', reference: '@last' });
    expect(again.session.id).toBe(conversation.session.id);
    expect(viewTexts(again.session)).toHaveLength(7);
    const [part] = ((await eventsOf(after.store, again.session.id))[2]?.data.parts ?? []) as { blob: string }[];
    expect(await after.store.readBlob(part?.blob ?? '')).toHaveLength(300_000);
    expect(Buffer.from((await after.store.readBlob(blob)) ?? []).toString()).toBe('a picture');
    await again.session.close('exit');
  });

  it('continues with a different model, which the session records', async () => {
    const { app } = await appWorld();
    const conversation = await openSession(app, { kind: 'new' });
    await expect(switchModel(app, conversation, { model: 'nope' })).rejects.toMatchObject({ code: 'MODEL_NOT_FOUND' });
    await expect(switchModel(app, conversation, { provider: 'nope' })).rejects.toMatchObject({
      code: 'PROVIDER_UNKNOWN',
    });
    const before = (await eventsOf(app.store, conversation.session.id)).length;
    await switchModel(app, conversation, { model: 'm-1' });
    // Nothing changed, so nothing happened.
    expect(await eventsOf(app.store, conversation.session.id)).toHaveLength(before);
    await conversation.session.close('exit');
  });

  it('is forked, deleted, restored and reset by its title or a part of its id', async () => {
    const { app } = await appWorld();
    const conversation = await openSession(app, { kind: 'new', name: 'Plans' });
    await tell(app, conversation, 'one');
    const fork = await forkSession(app, 'plans', { name: 'Plan B' });
    expect(fork.id).toBe('plan-b');
    await conversation.session.close('exit');
    await deleteSession(app, 'plans');
    await expect(openSession(app, { kind: 'resume', reference: 'plans' })).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
    await expect(restoreSession(app, 'nothing')).rejects.toMatchObject({ code: 'TRASH_NOT_FOUND' });
    expect(await restoreSession(app, 'pla')).toEqual({ id: 'plans' });
    await resetSession(app, 'Plan B', { keepHistory: true });
    const opened = await openSession(app, { kind: 'resume', reference: 'plan-b' });
    expect(viewTexts(opened.session)).toEqual(['user: one', 'assistant: ok']);
    await opened.session.close('exit');
  });

  it('can be searched, newest first', async () => {
    const { app } = await appWorld();
    const conversation = await openSession(app, { kind: 'new' });
    for (const text of ['The red apple', 'A green pear', 'Red again']) await tell(app, conversation, text);
    const found = await searchHistory(app.store, conversation.session.id, ['red', 'cherry']);
    expect(found.map(({ text }) => text)).toEqual(['Red again', 'The red apple']);
    expect(await searchHistory(app.store, conversation.session.id, ['red'], { limit: 1 })).toHaveLength(1);
    const stopped = AbortSignal.abort(new OllmError('INTERRUPTED', 'Stopped.'));
    await expect(searchHistory(app.store, conversation.session.id, ['red'], { signal: stopped })).rejects.toMatchObject(
      { code: 'INTERRUPTED' },
    );
    await conversation.session.close('exit');
  });
});
