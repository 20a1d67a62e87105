// The contract of a led conversation for each kind of leader: a server's, which begins the prompts that wait; a
// terminal's, where the user begins them; and that of `ollm ask`, which closes the session after each question. The
// journals are the judge.
import { createApp } from '../../lib/app/compose.ts';
import { sessionOptions } from '../../lib/app/sessions/open/conversation-in.ts';
import { type OpenRequest, openSession } from '../../lib/app/sessions/open/open-session.ts';
import { ask } from '../../lib/lead/ask.ts';
import { Leader } from '../../lib/lead/leader.ts';
import type { LeadSignal } from '../../lib/lead/types.ts';
import { nodeFileSystem, silentLog } from '../../lib/platform/index.ts';
import { openSession as openStored } from '../../lib/session/open.ts';
import { waitingPrompts } from '../../lib/session/waiting-prompts.ts';
import { eventsOf } from '../session/world.ts';
import { faultyFileSystem } from '../support/faulty-file-system.ts';
import { says, scriptedProvider } from '../support/scripted-provider.ts';
import { createTree } from '../support/tree.ts';

const KINDS = ['server', 'terminal', 'one-question'] as const;
type Kind = (typeof KINDS)[number];

interface Led {
  /** Asks, and resolves once the turn has ended. */
  ask(text: string): Promise<void>;
  /** Stores a prompt that waits for its turn. */
  add(text: string): Promise<unknown>;
  /** Runs all that waits. */
  goOn(): Promise<void>;
  stop(): Promise<unknown>;
  end(): Promise<unknown>;
  readonly signals: readonly LeadSignal[];
}

async function world(kind: Kind, { config = '{}', script = () => says('ok') as ReturnType<typeof says> } = {}) {
  const tree = createTree({ 'project/.git/HEAD': 'ref: refs/heads/main\n', 'home/.ollm/config.yaml': config });
  const home = `${tree.root}/home`;
  const fileSystem = faultyFileSystem(nodeFileSystem);
  const provider = { ...scriptedProvider((_, signal) => stoppable(script(), signal)), name: 'offline' };
  const app = await createApp({
    env: { HOME: home, OLLM_HOME: `${home}/.ollm`, PATH: process.env.PATH },
    cwd: `${tree.root}/project`,
    flags: { provider: 'offline' },
    command: 'test',
    parts: { fileSystem, log: silentLog, providers: { offline: async () => provider } },
  });
  const leading: Led[] = [];
  let count = 0;

  async function lead(request: OpenRequest): Promise<Led> {
    const signals: LeadSignal[] = [];
    const onSignal = (signal: LeadSignal) => void signals.push(signal);
    const perform: ConstructorParameters<typeof Leader>[1]['perform'] = async (...asked) => ask(...asked);
    const using = { app, end() {} };
    const led = kind === 'server' ? await forClients() : await forUser();
    leading.push(led);
    return led;

    async function forClients(): Promise<Led> {
      const leader: Leader = new Leader('oak', {
        ...{ app, perform, onSignal, useApp: async () => using },
        hosting: {
          users: { askedIn: () => ({}), openCalls: () => [], denyAll() {} },
          holdMs: 60_000,
          follow: async () => ({ hint() {}, end() {} }),
          lockedError: (error) => error,
        },
      });
      if (request.kind === 'new') await leader.adopt(await openSession(app, request), using);
      const add = (text: string) => leader.add(promptOf(text));
      return {
        signals,
        add,
        async ask(text) {
          await add(text);
          await leader.settled();
        },
        async goOn() {
          await leader.recover();
          await leader.settled();
        },
        stop: () => leader.stop(),
        end: () => leader.end(),
      };
    }

    async function forUser(): Promise<Led> {
      let conversation = await openSession(app, request);
      let leader = await Leader.of(app, conversation, { perform, onSignal });
      const turn = (promptId: string, text: string) =>
        leader.ask(promptId, async (next) => {
          conversation = next;
          return { input: { text, promptId } };
        });
      return {
        signals,
        add: (text) => leader.add({ ...promptOf(text), awaits: 'user' }),
        async ask(text) {
          if (kind === 'one-question' && leader.conversation === undefined) {
            conversation = await openSession(app, { kind: 'resume', reference: conversation.session.id });
            leader = await Leader.of(app, conversation, { perform, onSignal });
          }
          await turn(app.ids.uuid(), text);
          if (kind === 'one-question') await leader.close({ reason: 'exit' });
        },
        async goOn() {
          for (const { promptId, text } of leader.prompts) await turn(promptId, text);
        },
        stop: () => leader.stop(),
        end: () => leader.close({ reason: 'exit' }),
      };
    }
  }

  const promptOf = (text: string) => ({ promptId: `p${count++}`, text, queuedAt: '2026-11-28T10:00:00.000Z' });
  return {
    app,
    fileSystem,
    lead,
    /** Texts of the user's messages, with the end of each turn. */
    async said(id = 'oak') {
      const events = await eventsOf(app.store, id);
      return events.flatMap(({ type, data }) => {
        if (type === 'turn.ended') return [`(${data.status})`];
        if (type !== 'message.added' || data.role !== 'user') return [];
        return [(data.parts as { readonly text: string }[]).map(({ text }) => text).join('')];
      });
    },
    waiting: async (id = 'oak') => (await waitingPrompts(app.store, id)).map(({ text }) => text),
    async [Symbol.asyncDispose]() {
      for (const led of leading) await led.end();
      await app.close();
      tree[Symbol.dispose]();
    },
  };
}

/** Ends with an abort, as a request to a server does. */
async function* stoppable<Item>(items: AsyncIterable<Item>, signal: AbortSignal): AsyncGenerator<Item> {
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
  stopped.catch(() => {});
  const iterator = items[Symbol.asyncIterator]();
  for (;;) {
    const { done, value } = await Promise.race([iterator.next(), stopped]);
    if (done) return;
    yield value;
  }
}

async function* afterGate(gate: Promise<void>): ReturnType<typeof says> {
  await gate;
  yield* says('ok');
}

const NEW = { kind: 'new', id: 'oak', name: 'Oak' } as const;
const AGAIN = { kind: 'resume', reference: 'oak' } as const;

describe.each(KINDS)('a conversation with a %s leader', (kind) => {
  it('stores each turn whole, with its end before the next begins', async () => {
    await using place = await world(kind);
    const led = await place.lead(NEW);
    await led.ask('one');
    await led.ask('two');
    expect(await place.said()).toEqual(['one', '(completed)', 'two', '(completed)']);
    const ends = led.signals.flatMap((signal) => (signal.type === 'turn-end' ? [signal.how] : []));
    expect(ends).toEqual(['done', 'done']);
  });

  it('sends no signal of a turn before the events are stored that it follows', async () => {
    await using place = await world(kind);
    const led = await place.lead(NEW);
    await led.ask('one');
    const done = led.signals.find((signal) => signal.type === 'turn' && signal.signal.type === 'done');
    const stored = (await eventsOf(place.app.store, 'oak')).find(({ type }) => type === 'turn.ended');
    expect(done).toMatchObject({ after: stored?.seq });
  });

  it('continues in a new session once it is full, with its whole queue', async () => {
    await using place = await world(kind, { config: 'retention: { maxItems: 4 }' });
    const led = await place.lead(NEW);
    await led.ask('one');
    await led.ask('two');
    if (kind === 'terminal') await led.add('later');
    await led.ask('three');
    expect(await place.said()).toEqual(['one', '(completed)', 'two', '(completed)']);
    expect((await place.said('oak-2')).slice(-2)).toEqual(['three', '(completed)']);
    expect([await place.waiting(), await place.waiting('oak-2')]).toEqual([[], kind === 'terminal' ? ['later'] : []]);
    expect(led.signals.filter(({ type }) => type === 'moved')).toEqual([{ type: 'moved', before: 'oak' }]);
  });

  it('ends a stopped turn, and can be asked again', async () => {
    const gate = Promise.withResolvers<void>();
    let round = 0;
    await using place = await world(kind, { script: () => (round++ === 0 ? afterGate(gate.promise) : says('ok')) });
    const led = await place.lead(NEW);
    const asked = led.ask('one');
    while (round === 0) await new Promise(setImmediate);
    expect(await led.stop()).toBe(true);
    await asked;
    await led.ask('two');
    gate.resolve();
    expect(await place.said()).toEqual(['one', '(cancelled)', 'two', '(completed)']);
  });

  it('closes its session with the running turn, so that the next leader finds nothing open', async () => {
    const gate = Promise.withResolvers<void>();
    let round = 0;
    await using place = await world(kind, { script: () => (round++ === 0 ? afterGate(gate.promise) : says('ok')) });
    const led = await place.lead(NEW);
    const asked = led.ask('one');
    while (round === 0) await new Promise(setImmediate);
    await led.end();
    await asked;
    gate.resolve();
    expect(await place.said()).toEqual(['one', '(cancelled)']);
    const last = (await eventsOf(place.app.store, 'oak')).at(-1);
    expect(last?.type).toBe('session.closed');
  });

  it('does not run a prompt that was typed ahead in a different program', async () => {
    await using place = await world(kind);
    const first = await place.lead(NEW);
    await first.ask('one');
    await first.end();
    const session = await openStored(place.app.store, 'oak', sessionOptions(place.app));
    const prompt = { promptId: 'typed', text: 'typed ahead', queuedAt: '2026-11-28T10:00:00.000Z' } as const;
    await session.append({ type: 'queue.changed', data: { added: [{ ...prompt, awaits: 'user' }] } });
    await session.close('exit');
    const led = await place.lead(AGAIN);
    await led.ask('two');
    expect(await place.said()).toEqual(['one', '(completed)', 'two', '(completed)']);
    expect(await place.waiting()).toEqual(['typed ahead']);
  });
});

describe.each(['server', 'terminal'] as const)('queued prompts of a %s leader', (kind) => {
  it('run once each, in order, after a restart', async () => {
    const gate = Promise.withResolvers<void>();
    let round = 0;
    await using place = await world(kind, { script: () => (round++ === 0 ? afterGate(gate.promise) : says('ok')) });
    const led = await place.lead(NEW);
    const asked = led.ask('one');
    while (round === 0) await new Promise(setImmediate);
    for (const text of ['two', 'three', 'four']) await led.add(text);
    await led.end();
    await asked;
    gate.resolve();
    expect(await place.waiting()).toEqual(['two', 'three', 'four']);
    const next = await place.lead(AGAIN);
    await next.goOn();
    await next.end();
    const last = await place.lead(AGAIN);
    await last.goOn();
    const ends = ['two', 'three', 'four'].flatMap((text) => [text, '(completed)']);
    expect(await place.said()).toEqual(['one', '(cancelled)', ...ends]);
    expect(await place.waiting()).toEqual([]);
  });

  it('are not accepted if they could not be stored', async () => {
    await using place = await world(kind);
    const led = await place.lead(NEW);
    await led.ask('one');
    place.fileSystem.fail({ call: 'write', skip: 0, answer: 'ENOSPC' });
    await expect(led.add('two')).rejects.toThrow();
    place.fileSystem.mend();
    expect(await place.waiting()).toEqual([]);
  });
});
