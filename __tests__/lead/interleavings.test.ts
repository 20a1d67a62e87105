// Prompts are added, changed and taken out in any order and at once, while turns run, writes and syncs fail, another
// process takes the session, and the server restarts. Judged by the journal afterwards.
import fc from 'fast-check';
import { createApp } from '../../lib/app/compose.ts';
import { sessionOptions } from '../../lib/app/sessions/open/conversation-in.ts';
import { openSession } from '../../lib/app/sessions/open/open-session.ts';
import { ask } from '../../lib/lead/ask.ts';
import { Leader } from '../../lib/lead/leader.ts';
import { nodeFileSystem, silentLog } from '../../lib/platform/index.ts';
import { openSession as openStored } from '../../lib/session/open.ts';
import { eventsOf } from '../session/world.ts';
import { faultyFileSystem } from '../support/faulty-file-system.ts';
import { says, scriptedProvider } from '../support/scripted-provider.ts';
import { createTree } from '../support/tree.ts';

type Step =
  | { readonly do: 'add'; readonly awaits: boolean; readonly unknownModel: boolean }
  | { readonly do: 'edit' | 'remove'; readonly which: number }
  | { readonly do: 'stop' | 'give-away' | 'restart' | 'settle' }
  | { readonly do: 'fail'; readonly call: 'write' | 'dataSync'; readonly skip: number };

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('add' as const), awaits: fc.boolean(), unknownModel: rarely() }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('edit' as const, 'remove' as const), which: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('stop' as const, 'give-away', 'restart', 'settle') }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('fail' as const),
      call: fc.constantFrom('write' as const, 'dataSync' as const),
      skip: fc.nat(6),
    }),
  },
);

function rarely(): fc.Arbitrary<boolean> {
  return fc.nat(4).map((draw) => draw === 0);
}

async function played(all: readonly { readonly step: Step; readonly waits: boolean }[]) {
  using tree = createTree({ 'project/.git/HEAD': 'ref: refs/heads/main\n', 'home/.ollm/config.yaml': '{}' });
  const fileSystem = faultyFileSystem(nodeFileSystem);
  const home = `${tree.root}/home`;
  const provider = { ...scriptedProvider(() => says('ok')), name: 'offline' };
  const app = await createApp({
    env: { HOME: home, OLLM_HOME: `${home}/.ollm`, PATH: process.env.PATH },
    cwd: `${tree.root}/project`,
    flags: { provider: 'offline' },
    command: 'test',
    parts: { fileSystem, log: silentLog, providers: { offline: async () => provider } },
  });
  const lead = () =>
    new Leader('oak', {
      app,
      useApp: async () => ({ app, end() {} }),
      hosting: {
        users: { askedIn: () => ({}), openCalls: () => [], denyAll() {} },
        holdMs: 5,
        follow: async () => ({ hint() {}, end() {} }),
        lockedError: (error) => error,
      },
      perform: async (...asked) => ask(...asked),
      onSignal() {},
    });
  let leader = lead();
  const conversation = await openSession(app, { kind: 'new', id: 'oak' });
  // A session in which nothing was said is kept if it has a title.
  await conversation.session.append({ type: 'session.titled', data: { title: 'Oak', by: 'user' } });
  await leader.adopt(conversation, { app, end() {} });
  const accepted: string[] = [];
  const refused: string[] = [];
  const removed: string[] = [];
  const under: Promise<unknown>[] = [];
  let count = 0;

  async function take(step: Step): Promise<void> {
    const leads = leader;
    switch (step.do) {
      case 'add': {
        const promptId = `p${count++}`;
        const prompt = { promptId, text: promptId, queuedAt: '2026-11-28T10:00:00.000Z' };
        const wish = step.unknownModel ? { provider: 'no-such' } : {};
        const awaits = step.awaits ? ({ awaits: 'user' } as const) : {};
        await leads.add({ ...prompt, ...wish, ...awaits }).then(
          () => accepted.push(promptId),
          () => refused.push(promptId),
        );
        return;
      }
      case 'edit':
        await leads.edit(`p${step.which}`, 'in other words').catch(() => {});
        return;
      case 'remove':
        await leads.remove(`p${step.which}`).then(
          ({ promptId }) => removed.push(promptId),
          () => {},
        );
        return;
      case 'stop':
        await leads.stop();
        return;
      case 'settle':
        await leads.settled();
        return;
      case 'fail':
        fileSystem.fail({ call: step.call, skip: step.skip, answer: step.call === 'write' ? 'ENOSPC' : 'EIO' });
        return;
      case 'give-away': {
        if (!(await leads.giveAway({ wait: false, signal: undefined, forMs: 20 }))) return;
        const session = await openStored(app.store, 'oak', sessionOptions(app)).catch(() => undefined);
        await session?.close('exit').catch(() => {});
        return;
      }
      case 'restart':
        leader = lead();
        await leads.end();
        await leader.recover().catch(() => {});
    }
  }

  for (const { step, waits } of all) {
    const taken = take(step);
    under.push(taken);
    if (waits) await taken;
  }
  await Promise.all(under);
  fileSystem.mend();
  await leader.end();
  const last = lead();
  await last.recover();
  await last.settled();
  const shown = last.prompts.map(({ promptId }) => promptId);
  await last.end();
  const events = await eventsOf(app.store, 'oak');
  await app.close();
  const asked = events.flatMap(({ type, data }) =>
    type === 'message.added' && data.promptId !== undefined ? [data.promptId as string] : [],
  );
  const waiting: string[] = [];
  const left = new Set<string>();
  for (const { type, data } of events) {
    if (type !== 'queue.changed') continue;
    const { added = [], removed: gone = [] } = data as { added?: { promptId: string }[]; removed?: string[] };
    for (const promptId of gone) left.add(promptId);
    for (const { promptId } of added) if (!waiting.includes(promptId)) waiting.push(promptId);
  }
  const still = waiting.filter((promptId) => !left.has(promptId) && !asked.includes(promptId));
  return { accepted, refused, removed, asked, left, still, shown };
}

describe('the prompts of a led conversation', () => {
  it('are always either run, removed or waiting, also with changes at the same time', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ step: steps, waits: fc.boolean() }), { minLength: 1, maxLength: 12 }),
        async (all) => {
          const { accepted, refused, removed, asked, left, still, shown } = await played(all);
          expect(new Set(asked).size).toBe(asked.length);
          for (const promptId of accepted) {
            const places = [asked.includes(promptId), left.has(promptId), still.includes(promptId)];
            expect([promptId, places.filter(Boolean).length]).toEqual([promptId, 1]);
          }
          for (const promptId of removed) expect([promptId, asked.includes(promptId)]).toEqual([promptId, false]);
          for (const promptId of refused) {
            expect([promptId, asked.includes(promptId) || still.includes(promptId)]).toEqual([promptId, false]);
          }
          expect(shown).toEqual(still);
        },
      ),
      { numRuns: 100 },
    );
  });
});
