// What a store on servers promises beyond the contract: outcomes that are looked up, fences, copies with equal bytes.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFileStore } from '../../lib/file-store/file-store.ts';
import { bytesOfFileStore } from '../../lib/file-store/store-bytes.ts';
import { parts } from '../../lib/nats/append-stream.ts';
import { loadClient } from '../../lib/nats/client.ts';
import { type NatsSession, requireVersion } from '../../lib/nats/connection.ts';
import { layoutOf } from '../../lib/nats/layout.ts';
import { lastMessage } from '../../lib/nats/messages.ts';
import type { NatsStore } from '../../lib/nats/nats-store.ts';
import { Fenced, publish, Unsettled } from '../../lib/nats/publish.ts';
import { sweepBlobs } from '../../lib/nats/purge.ts';
import { problemsOf, problemsOfBucket } from '../../lib/nats/requirements.ts';
import { sourceOf } from '../../lib/nats/stream-source.ts';
import { bytesOf } from '../../lib/nats/stream-writer.ts';
import { nodeFileSystem, silentLog, systemClock, systemIds, thisProcess } from '../../lib/platform/index.ts';
import { CREATED, make, read, say } from '../journal/store.contract.ts';
import { describeWithServer, type NatsServer, startNatsServer } from '../support/nats-server.ts';
import { natsStore, newTenant } from '../support/nats-store.ts';
import { readWhole } from './faults/workload.ts';

describe('the client of NATS', () => {
  it('is reported with the command to install it if it is missing', () => {
    const missing = { code: 'STORE_CLIENT_MISSING', hint: expect.stringContaining('npm install --prefix /nowhere') };
    expect(() => loadClient(['/nowhere'])).toThrow(expect.objectContaining(missing));
  });
});

describe('a tenant', () => {
  it.each(['', 'A', 'a.b', 'a/b', '*', '>', 'a'.repeat(33)])('cannot be named %j', (tenant) => {
    expect(() => layoutOf(tenant)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });
});

describe('bytes for messages', () => {
  const bytes = Buffer.from('aa\nbbbb\nc\ndddddddd\n');
  const textsOf = (places: number[], most: number) =>
    [...parts(bytes, places, most)].map((part) => Buffer.from(part).toString());

  it('are cut at allowed places, and are complete', () => {
    expect(textsOf([3, 8, 10, 19], 9)).toEqual(['aa\nbbbb\n', 'c\n', 'dddddddd\n']);
    expect(textsOf([3, 8, 10, 19], 100)).toEqual([bytes.toString()]);
    expect(textsOf([3, 8, 10, 19], 5).join('')).toBe(bytes.toString());
  });
});

describeWithServer('a store on a server of NATS', () => {
  let server: NatsServer;
  let tenant: string;
  let store: NatsStore;
  const opened: NatsStore[] = [];
  const open = (place: Partial<Parameters<typeof natsStore>[0]> = {}) => {
    const each = natsStore({ servers: [server.url], tenant, ...place });
    opened.push(each);
    return each;
  };

  beforeAll(async () => {
    server = await startNatsServer({ lines: ['max_payload: 64KB'] });
  });
  afterAll(() => server.dispose());
  beforeEach(async () => {
    tenant = newTenant();
    store = open();
    await store.prepare();
  });
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.disconnect();
  });

  describe('without an answer of the server', () => {
    const message = { expected: 0, offset: 0, bytes: Buffer.from('x\n'), id: 'only' };
    const timeout = () => Object.assign(new Error('timeout'), { name: 'TimeoutError' });
    /** A session whose first answer is lost, with or without the question. */
    const losing = async (isStored: boolean): Promise<NatsSession> => {
      const session = await store.session();
      let isLost = false;
      const lose: NatsSession['js']['publish'] = async (...args) => {
        if (isLost) return session.js.publish(...args);
        isLost = true;
        if (isStored) await session.js.publish(...args);
        throw timeout();
      };
      return { ...session, js: { ...session.js, publish: lose } };
    };

    it.each([true, false])('is asked for the message, which is stored once (stored: %s)', async (isStored) => {
      const session = await losing(isStored);
      const subject = session.layout.subject('one', 'a');
      const sequence = await publish(session, { ...message, subject });
      expect((await lastMessage(session, subject))?.sequence).toBe(sequence);
      const { state } = await session.streams.info(session.layout.stream);
      expect(state.messages).toBe(1);
    });

    it('takes an answer without a sequence as no acknowledgement, because the message is only proposed', async () => {
      const session = await store.session();
      let isFirst = true;
      const propose: NatsSession['js']['publish'] = async (...args) => {
        if (!isFirst) return session.js.publish(...args);
        isFirst = false;
        return { stream: session.layout.stream, seq: 0, duplicate: true };
      };
      const proposing = { ...session, js: { ...session.js, publish: propose } };
      const subject = session.layout.subject('one', 'a');
      const sequence = await publish(proposing, { ...message, subject });
      expect((await lastMessage(session, subject))?.sequence).toBe(sequence);
    });

    it('refuses an append whose place a different message took, and does not store it', async () => {
      const session = await losing(false);
      const subject = session.layout.subject('one', 'a');
      await publish(await store.session(), { ...message, subject, id: 'another', bytes: Buffer.from('y\n') });
      await expect(publish(session, { ...message, subject })).rejects.toThrow(Fenced);
      expect(Buffer.from((await lastMessage(session, subject))!.bytes).toString()).toBe('y\n');
    });

    it('gives up after a while, and reports the outcome as unknown', async () => {
      const session = await store.session();
      const never = async () => Promise.reject(timeout());
      const deaf = {
        ...session,
        patienceMs: 300,
        js: { ...session.js, publish: never },
        streams: { ...session.streams, getMessage: never },
      };
      const subject = session.layout.subject('one', 'a');
      await expect(publish(deaf as unknown as NatsSession, { ...message, subject })).rejects.toThrow(Unsettled);
    });
  });

  it('ends a writer that lost its lease at the next append, which stores nothing', async () => {
    const first = await store.create('one', CREATED);
    await first.append(say('mine'));
    await (await store.session()).names.purge('lease.one');
    const second = await open().openWriter('one');
    const locked = { code: 'JOURNAL_LOCKED' };
    await expect(first.append(say('too late'))).rejects.toMatchObject(locked);
    expect(first.failure).toMatchObject(locked);
    await second.append(say('theirs'));
    await first.close();
    await second.close();
    expect(await read(store, 'one')).toEqual(['mine', 'theirs']);
  });

  it('is locked by a machine with the same name, and taken over from a process that ended on this one', async () => {
    const on = (machine: string | undefined) => {
      const process = { ...thisProcess('a test'), host: 'clone', machine, isAlive: () => false };
      const each = natsStore({ servers: [server.url], tenant }, { process });
      opened.push(each);
      return each;
    };
    const first = await on('boot-1 pid:[1]').create('one', CREATED);
    for (const other of ['boot-2 pid:[1]', 'boot-1 pid:[2]', undefined]) {
      await expect(on(other).openWriter('one')).rejects.toMatchObject({ code: 'JOURNAL_LOCKED' });
    }
    await first.append(say('mine'));
    const second = await on('boot-1 pid:[1]').openWriter('one');
    await expect(first.append(say('too late'))).rejects.toMatchObject({ code: 'JOURNAL_LOCKED' });
    await second.close();
    await first.close();
    const unsaid = await on(undefined).create('two', CREATED);
    await expect(on(undefined).openWriter('two')).rejects.toMatchObject({ code: 'JOURNAL_LOCKED' });
    await unsaid.close();
  });

  it('lets one of many appends at the same position succeed', async () => {
    const session = await store.session();
    const subject = session.layout.subject('one', 'race');
    let expected = 0;
    for (let round = 0; round < 30; round += 1) {
      const attempts = await Promise.allSettled(
        Array.from({ length: 6 }, (_, writer) =>
          publish(session, { subject, expected, offset: round, bytes: Buffer.from('x'), id: `${round}.${writer}` }),
        ),
      );
      const won = attempts.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      expect(won).toHaveLength(1);
      expected = won[0]!;
    }
  });

  it('accepts a batch that fits into a message, and refuses a larger one as a whole', async () => {
    const writer = await store.create('one', CREATED);
    const batch = (count: number) => Array.from({ length: count }, (_, index) => say(`${index} `.padEnd(1000)));
    await writer.append(batch(40));
    const other = writer.append(say('small'));
    await expect(writer.append(batch(80))).rejects.toMatchObject({ code: 'EVENT_TOO_LARGE' });
    await other;
    await writer.close();
    expect(await read(store, 'one')).toHaveLength(41);
  });

  it('cuts the content of a new journal at the ends of lines, and names the journal when it is whole', async () => {
    await store.createFilled('one', {
      created: CREATED,
      fill: async (writer) =>
        void (await writer.append(Array.from({ length: 300 }, (_, index) => say(`${index} `.padEnd(1000))))),
    });
    expect(await read(store, 'one')).toHaveLength(300);
    await expect(
      store.createFilled('two', { created: CREATED, fill: () => Promise.reject(new TypeError('no more')) }),
    ).rejects.toThrow('no more');
    expect(await store.has('two')).toBe(false);
    expect(await store.unnamed()).toEqual([]);
  });

  it('continues after an anchor, from a different process, with fences in between', async () => {
    const first = await store.create('one', CREATED);
    for (let round = 0; round < 300; round += 1) await first.append(say(`${round}`));
    const anchor = first.head;
    await first.append(say('behind'));
    await first.close();
    const seen: number[] = [];
    const second = await open().openWriter('one', { anchor, onEvent: ({ seq }) => seen.push(seq) });
    expect(second.report).toMatchObject({ anchored: true, epoch: 1 });
    expect(seen).toEqual([anchor.seq + 1]);
    await second.append(say('again'));
    await second.close();
    const events = await readWhole(store, 'one');
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
  });

  it('continues after an anchor without fetching the earlier journal', async () => {
    const first = await store.create('one', CREATED);
    const text = 'x'.repeat(16_000);
    for (let round = 0; round < 1_000; round += 1) await first.append(say(text));
    const anchor = first.head;
    await first.append(say('behind'));
    await first.close();
    const other = open();
    const { connection } = await other.session();
    const received = () => (connection as unknown as { stats(): { readonly inBytes: number } }).stats().inBytes;
    const before = received();
    const second = await other.openWriter('one', { anchor, anchorEpoch: first.report.epoch });
    expect(second.report).toMatchObject({ anchored: true, epoch: 1 });
    // For 16 MB: a portion for the first line, some for the last ones, and what looking for their place costs.
    expect(received() - before).toBeLessThan(6_000_000);
    await second.close();
  });

  it('gives a list the changes since the last one', async () => {
    const other = open();
    await make(store, 'one', 'x');
    const [before] = await other.list();
    await make(store, 'two', 'x');
    const writer = await store.openWriter('one');
    await writer.append(say('more'));
    await writer.close();
    const after = await other.list();
    expect(after.map(({ id }) => id)).toEqual(['one', 'two']);
    expect(after[0]!.bytes).toBeGreaterThan(before!.bytes);
    expect(after).toEqual(await open().list());
    await store.trash('two');
    expect((await other.list()).map(({ id }) => id)).toEqual(['one']);
  });

  it('finds the leftovers of crashes, and removes them only while no session is open', async () => {
    const writer = await store.create('one', CREATED);
    const session = await store.session();
    const subject = session.layout.subject('two', 'crashed');
    await session.names.put('lease.two', Buffer.from('{}'));
    await session.names.delete('lease.two');
    await publish(session, { subject, expected: 0, offset: 0, bytes: Buffer.from('x\n'), id: 'x' });
    expect(await store.unnamed()).toEqual([{ id: 'two', generation: 'crashed', bytes: 2 }]);
    await expect(store.sweep()).rejects.toMatchObject({ code: 'JOURNAL_LOCKED' });
    await writer.close();
    expect(await store.sweep()).toEqual({ generations: 1, attachments: 0 });
    expect((await open().unnamed()).length).toBe(0);
    expect(await read(store, 'one')).toEqual([]);
  });

  describe('with lost names', () => {
    type Manager = NatsSession['streams'] & {
      delete(stream: string): Promise<boolean>;
      update(stream: string, change: object): Promise<unknown>;
    };
    const notReady = { code: 'STORE_NOT_READY' };
    let session: NatsSession;
    let streams: Manager;
    beforeEach(async () => {
      await make(store, 'one', 'x');
      session = await store.session();
      streams = session.streams as Manager;
    });
    const messages = async () => (await streams.info(session.layout.stream)).state.messages;
    const namesAgain = async () => {
      const { config } = await streams.info(session.layout.namesStream);
      await streams.delete(session.layout.namesStream);
      await streams.add(config);
    };

    it('reports the loss, and creates no empty names', async () => {
      const before = await messages();
      await streams.delete(session.layout.namesStream);
      const gone = { ...notReady, hint: expect.stringContaining('nats stream restore') };
      await expect(open().list()).rejects.toMatchObject(gone);
      await expect(open().prepare()).rejects.toMatchObject(gone);
      await expect(streams.info(session.layout.namesStream)).rejects.toThrow();
      expect(await messages()).toBe(before);
    });

    it('can be prepared again while it has no journal', async () => {
      const empty = open({ tenant: newTenant() });
      await empty.prepare();
      const { layout } = await empty.session();
      await streams.delete(layout.namesStream);
      await expect(open({ tenant: layout.tenant }).list()).rejects.toMatchObject(notReady);
      expect(await open({ tenant: layout.tenant }).prepare()).toEqual({ made: false });
      expect(await open({ tenant: layout.tenant }).list()).toEqual([]);
    });

    it('sweeps nothing while the names are empty, or younger than a journal', async () => {
      const before = await messages();
      await namesAgain();
      const other = open();
      expect(await other.unnamed()).toHaveLength(1);
      expect(await other.problemOfNames()).toContain('empty');
      await expect(other.sweep()).rejects.toMatchObject(notReady);
      expect(await messages()).toBe(before);
      await make(other, 'two', 'y');
      expect(await other.problemOfNames()).toContain('younger');
      await expect(other.sweep()).rejects.toMatchObject(notReady);
      expect(await messages()).toBeGreaterThan(before);
    });

    it('sweeps nothing of a session that the names never had', async () => {
      await streams.purge(session.layout.namesStream, { filter: '$KV.>' });
      await make(store, 'two', 'y');
      const before = await messages();
      expect(await store.problemOfNames()).toContain('of one');
      await expect(store.sweep()).rejects.toMatchObject(notReady);
      expect(await messages()).toBe(before);
    });

    it('is not opened if their age would delete them', async () => {
      await streams.update(session.layout.namesStream, { max_age: 3600e9 });
      const aging = { ...notReady, hint: expect.stringContaining(`${session.layout.namesStream} --max-age=0`) };
      await expect(open().list()).rejects.toMatchObject(aging);
    });

    it('can be prepared again if its attachments are lost too, and keeps its journals', async () => {
      await streams.delete(session.layout.objectsStream);
      await expect(open().list()).rejects.toMatchObject({
        ...notReady,
        hint: expect.stringContaining('store prepare'),
      });
      await open().prepare();
      expect((await open().list()).map(({ id }) => id)).toEqual(['one']);
    });
  });

  it('does not treat purged data as a leftover', async () => {
    await make(store, 'one', 'x');
    await store.list();
    await store.purge((await store.trash('one')).entry);
    expect(await store.unnamed()).toEqual([]);
  });

  it('keeps no name of a session that is completely gone, and the name of one that exists again', async () => {
    const session = await store.session();
    const keysOf = async (id: string) =>
      (await Array.fromAsync(await session.names.history({ key: '>' })))
        .map(({ key }) => key)
        .filter((key) => key.endsWith(`.${id}`))
        .sort();
    for (const id of ['gone', 'again', 'twice']) await make(store, id, 'x');
    const trashed = await store.trash('twice');
    await make(store, 'twice', 'y');
    await store.purge((await store.trash('gone')).entry);
    const { entry } = await store.trash('again');
    const writer = await store.create('again', CREATED);
    await store.purge(entry);
    await store.purge(trashed.entry);
    expect(await keysOf('gone')).toEqual([]);
    expect(await keysOf('again')).toEqual(['lease.again', 'session.again']);
    expect(await keysOf('twice')).toEqual(['lease.twice', 'session.twice']);
    await writer.append(say('mine'));
    await writer.close();
    expect(await read(store, 'twice')).toEqual(['y']);
    await make(open(), 'gone', 'z');
    expect(await read(store, 'gone')).toEqual(['z']);

    // As a purge leaves it that was killed at its end.
    await session.names.put('session.killed', Buffer.from(JSON.stringify({ trash: [], archived: [], change: 'c' })));
    await store.sweep();
    expect(await keysOf('killed')).toEqual([]);
    expect(await keysOf('gone')).toEqual(['lease.gone', 'session.gone']);
  });

  it('sweeps the attachments that a purge had to leave, but none that a session names or that are new', async () => {
    const named = await store.putBlob(Buffer.from('named'));
    const left = await store.putBlob(Buffer.from('left'));
    const torn = await store.putBlob(Buffer.from('torn'));
    await make(store, 'one', `names ${named}`);
    await make(store, 'two', `names ${left}`);
    const session = await store.session();
    await session.objects.putBlob({ name: 'quarantine/one.9.bin' }, Buffer.from(`{"blob":"${torn}"`));
    const writer = await store.openWriter('one');
    await store.purge((await store.trash('two')).entry);
    await expect(store.sweep()).rejects.toMatchObject({ code: 'JOURNAL_LOCKED' });
    await writer.close();
    expect(await store.sweep()).toEqual({ generations: 0, attachments: 0 });

    const later = 2 * 60 * 60 * 1000;
    const info: NatsSession['streams']['info'] = async (stream) => {
      const now = await session.streams.info(stream);
      return { ...now, ts: new Date(Date.parse(now.ts!) + later).toISOString() };
    };
    const streams = { ...session.streams, info, getMessage: session.streams.getMessage.bind(session.streams) };
    const aged = { ...session, streams } as NatsSession;
    const ports = { clock: systemClock, ids: systemIds, process: thisProcess('a test'), log: silentLog };
    await (await store.create('sealed', CREATED)).close();
    const sealed = await store.openWriter('sealed');
    await sealed.append({ type: 'message.added', data: { sealed: 'AAAA', seq: 2 } });
    await sealed.close();
    expect(await sweepBlobs(aged, ports)).toBe(0);
    await store.purge((await store.trash('sealed')).entry);
    expect(await sweepBlobs(aged, ports)).toBe(1);
    expect(await store.readBlob(left)).toBeUndefined();
    expect(await store.readBlob(named)).toEqual(new Uint8Array(Buffer.from('named')));
    expect(await store.readBlob(torn)).toEqual(new Uint8Array(Buffer.from('torn')));
  });

  describe('and a directory of journals', () => {
    let directory: string;
    beforeEach(() => {
      directory = mkdtempSync(join(tmpdir(), 'ollm-copy-'));
    });
    afterEach(() => rmSync(directory, { recursive: true, force: true }));
    const ports = {
      fileSystem: nodeFileSystem,
      clock: systemClock,
      ids: systemIds,
      process: thisProcess('a test'),
      log: silentLog,
    };

    it.each([
      ['sound', (text: string) => text],
      ['damaged', (text: string) => text.replace('"text":"7 ', '"text":"8 ')],
      ['torn', (text: string) => `${text}{"seq":9`],
      ['of lines longer than a message', (text: string) => `${text}${'x'.repeat(200_000)}\n`],
    ])('have equal bytes after a copy there and back: %s', async (_, change) => {
      const files = openFileStore(ports, { directory });
      await make(files, 'one', ...Array.from({ length: 200 }, (_unused, index) => `${index} `.padEnd(700)));
      const path = join(directory, 'one.jsonl');
      writeFileSync(path, change(readFileSync(path, 'utf8')));
      await store.writeBytes('one', bytesOfFileStore(ports, directory).readBytes('one'));
      const session = await store.session();
      const generation = (await store.unnamed()).length;
      expect(generation).toBe(0);
      const back = join(directory, 'back');
      await bytesOfFileStore(ports, back).writeBytes('one', store.readBytes('one'));
      expect(readFileSync(join(back, 'one.jsonl')).equals(readFileSync(path))).toBe(true);
      const reader = store.openReader('one');
      const original = files.openReader('one');
      expect(await reader.verify()).toEqual(await original.verify());
      reader.close();
      original.close();
      expect(session.maxPayload).toBe(64 * 1024);
      await expect(store.writeBytes('one', store.readBytes('one'))).rejects.toMatchObject({ code: 'SESSION_EXISTS' });
    });

    it('keep the bytes apart that recovery removes from a torn copy', async () => {
      const files = openFileStore(ports, { directory });
      await make(files, 'one', 'x');
      const path = join(directory, 'one.jsonl');
      const whole = readFileSync(path, 'utf8');
      writeFileSync(path, `${whole}{"seq":9`);
      await store.writeBytes('one', bytesOfFileStore(ports, directory).readBytes('one'));
      const writer = await store.openWriter('one');
      expect(writer.report.recovered).toMatchObject({ kind: 'torn-tail', offset: whole.length, length: 8 });
      await writer.close();
      const session = await store.session();
      const kept = await session.objects.getBlob(`quarantine/${writer.report.recovered?.quarantine}`);
      expect(Buffer.from(kept!).toString()).toBe('{"seq":9');
      expect(await read(store, 'one')).toEqual(['x']);
    });
  });

  it('has the exact bytes of a file: messages joined in order', async () => {
    const writer = await store.create('one', CREATED);
    await Promise.all(['a', 'b', 'c'].map((text) => writer.append(say(text))));
    await writer.close();
    const session = await store.session();
    const { live } = JSON.parse(Buffer.from((await session.names.get('session.one'))!.value).toString());
    const source = (await sourceOf(session, session.layout.subject('one', live)))!;
    const joined = Buffer.concat(await Array.fromAsync(bytesOf(source, 0, source.stat().size))).toString();
    source.close();
    const lines = joined
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ seq }) => seq)).toEqual([0, 1, 2, 3]);
  });
});

describeWithServer('a store that cannot have sessions', () => {
  let server: NatsServer;
  beforeAll(async () => {
    server = await startNatsServer({ lines: ['authorization { users: [{user: me, password: secret}] }'] });
  });
  afterAll(() => server.dispose());
  const credentials = { user: { name: 'me', password: 'secret' } };
  const refusalOf = async (store: NatsStore) => {
    try {
      await store.list();
      return undefined;
    } catch (error) {
      return error as { code: string; hint: string; message: string };
    } finally {
      await store.disconnect();
    }
  };

  it('admits only callers with credentials', async () => {
    const tenant = newTenant();
    const wrong = { user: { name: 'me', password: 'guess' } };
    for (const each of [undefined, wrong]) {
      const refusal = await refusalOf(natsStore({ servers: [server.url], tenant, credentials: each }));
      expect(refusal).toMatchObject({ code: 'STORE_REFUSED', hint: expect.stringContaining('credentials') });
    }
    const right = natsStore({ servers: [server.url], tenant, credentials });
    await right.prepare();
    expect(await right.list()).toEqual([]);
    await right.disconnect();
  });

  it('reports that no server answers, and how to start one', async () => {
    const refusal = await refusalOf(natsStore({ servers: ['nats://127.0.0.1:9'] }));
    expect(refusal).toMatchObject({
      code: 'STORE_UNREACHABLE',
      hint: expect.stringContaining('nats-server -a 127.0.0.1 -js'),
    });
  });

  it('reports missing streams, and how to prepare them', async () => {
    const refusal = await refusalOf(natsStore({ servers: [server.url], tenant: newTenant(), credentials }));
    expect(refusal).toMatchObject({ code: 'STORE_NOT_READY', hint: expect.stringContaining('ollm store prepare') });
  });

  it('reports too few replicas', async () => {
    const tenant = newTenant();
    const one = natsStore({ servers: [server.url], tenant, credentials });
    await one.prepare();
    await one.disconnect();
    const refusal = await refusalOf(natsStore({ servers: [server.url], tenant, credentials, replicas: 3 }));
    expect(refusal).toMatchObject({ code: 'STORE_NOT_READY', message: expect.stringContaining('1 of 3 replicas') });
  });

  it('reports the settings of a stream that would lose events', () => {
    const layout = layoutOf('t');
    const good = {
      name: layout.stream,
      subjects: [layout.allSubjects],
      storage: 'file',
      retention: 'limits',
      discard: 'new',
      num_replicas: 1,
      max_age: 0,
      max_msgs: -1,
      max_bytes: -1,
      max_msgs_per_subject: -1,
      max_msg_size: -1,
    };
    const state = { messages: 0, bytes: 0, last_seq: 0 };
    const problems = (change: object) => problemsOf({ config: { ...good, ...change }, state }, layout, 1).length;
    const ofBucket = (change: object) => problemsOfBucket({ config: { ...good, ...change }, state }, 1).length;
    expect(problems({})).toBe(0);
    expect(ofBucket({ subjects: [], max_msgs_per_subject: 1 })).toBe(0);
    for (const change of [
      { storage: 'memory' },
      { retention: 'interest' },
      { discard: 'old' },
      { max_age: 1 },
      { num_replicas: 0 },
    ]) {
      expect(ofBucket(change)).toBe(1);
    }
    for (const change of [
      { subjects: [] },
      { storage: 'memory' },
      { retention: 'workqueue' },
      { discard: 'old' },
      { max_age: 1 },
      { max_msgs_per_subject: 1 },
      { num_replicas: 0 },
    ]) {
      expect(problems(change)).toBe(1);
    }
  });

  it.each(['2.9.25', '1.4.1', ''])('rejects the server version %j as too old', (version) => {
    const connection = { info: { version, max_payload: 1 } } as Parameters<typeof requireVersion>[0];
    expect(() => requireVersion(connection)).toThrow(expect.objectContaining({ code: 'STORE_NOT_READY' }));
  });
});
