// The prompts of a run that waits, with a removal at each microtask around the beginning of a turn. The journal is a
// real one in memory; the agent is the least that sends a prompt as `AgentRun` does.
import { Observable } from 'rxjs';
import type { Followers } from '../../../lib/host/following/followers.ts';
import type { Questions } from '../../../lib/host/questions.ts';
import { HostedRun } from '../../../lib/host/runs/hosted-run.ts';
import type { AgentRun } from '../../../lib/lead/runs/agent-run.ts';
import { silentLog } from '../../../lib/platform/index.ts';
import type { TurnSignal } from '../../../lib/turn/signals.ts';
import { memoryWorld } from '../../session/world.ts';

const MICROTASKS = 24;
const prompt = (promptId: string) => ({ promptId, text: promptId, queuedAt: '2026-11-30T01:00:00.000Z' });

async function hostedRun() {
  const session = await memoryWorld().create('run');
  const sent: string[] = [];
  const gone: (readonly string[])[] = [];
  let movedTo: string | undefined;
  let onStored = (): unknown => undefined;
  const queueJournal: AgentRun['queueJournal'] = {
    ...{ id: session.id, states: session.states, writer: session.writer },
    async append(...given) {
      const receipts = await session.append(...given);
      onStored();
      return receipts;
    },
  };
  const run = {
    id: 'run',
    address: 'agent:run',
    workspace: '/',
    exited: new Promise(() => {}),
    queueJournal,
    journal: session,
    get movedTo() {
      return movedTo;
    },
    ask: (_text: string, { promptId }: { readonly promptId: string }) =>
      new Observable<TurnSignal>((subscriber) => {
        void session.append([{ type: 'queue.changed', data: { removed: [promptId] } }]).then(async () => {
          sent.push(promptId);
          subscriber.next({ type: 'done', content: '' } as unknown as TurnSignal);
          subscriber.complete();
        });
      }),
    close: () => session.close('exit'),
  };
  const hosted = new HostedRun({
    app: { redactor: async () => (text: string) => ({ text, found: [] }), log: silentLog } as never,
    run: run as unknown as AgentRun,
    agent: 'agent',
    followers: { signal() {} } as unknown as Followers,
    questions: { list: () => [], closeAll() {} } as unknown as Questions,
    idleMs: 60_000,
    imagesOf: () => [],
    permissionsOf: () => 'ask',
    onEnd() {},
    onMoved() {},
    onGone: (moved) => void gone.push(moved?.prompts.map(({ promptId }) => promptId) ?? []),
  });
  await hosted.begin();
  return {
    ...{ hosted, sent, gone },
    move: () => (movedTo = 'agent:next'),
    whenStored(does: () => unknown) {
      onStored = () => {
        onStored = () => undefined;
        does();
      };
    },
  };
}

async function microtasks(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) await undefined;
}

it('a waiting prompt of a run is either sent or taken out, at whichever moment its removal begins', async () => {
  const ends = new Set<string>();
  for (let count = 0; count < MICROTASKS; count += 1) {
    const { hosted, sent, whenStored } = await hostedRun();
    const { promise: removed, resolve } = Promise.withResolvers<readonly string[]>();
    whenStored(async () => {
      await microtasks(count);
      const removal = hosted.remove('one');
      resolve(
        removal.then(
          () => ['one'],
          () => [],
        ),
      );
    });
    await hosted.enqueue(prompt('one'));
    ends.add(`${await removed}`);
    await hosted.wait();
    expect([count, [...(await removed), ...sent]]).toEqual([count, ['one']]);
    await hosted.close();
  }
  // Both orders were met.
  expect(ends).toEqual(new Set(['one', '']));
});

it('a prompt that is taken out while its agent goes on elsewhere does not wait there', async () => {
  for (let count = 0; count < MICROTASKS; count += 1) {
    const { hosted, sent, gone, move } = await hostedRun();
    const one = hosted.enqueue(prompt('one'));
    const two = hosted.enqueue(prompt('two'));
    await one;
    const removal = hosted.remove('two').then(
      () => true,
      () => false,
    );
    move();
    await microtasks(count);
    await hosted.close();
    const isRemoved = await removal;
    await two.catch(() => undefined);
    expect([count, ...(isRemoved ? ['two'] : []), ...sent, ...gone.flat()].sort()).toEqual([count, 'one', 'two']);
  }
});
