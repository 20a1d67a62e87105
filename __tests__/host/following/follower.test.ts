import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../../lib/app/compose.ts';
import { followedJournal } from '../../../lib/host/following/followed.ts';
import { Follower } from '../../../lib/host/following/follower.ts';
import { createGrowth } from '../../../lib/host/following/growth.ts';
import { RingBudget } from '../../../lib/host/following/ring.ts';
import type { HostSignal } from '../../../lib/host/port/followers.ts';
import { silentLog } from '../../../lib/platform/index.ts';
import { until } from '../../support/until.ts';

const delta: HostSignal = { type: 'turn', promptId: 'p', signal: { type: 'delta', content: 'Roses' } };
const said = (role: string) => ({
  type: 'message.added',
  data: { role, parts: [{ type: 'text', text: 'Roses' }], trusted: true },
});

async function followed() {
  const home = mkdtempSync(join(tmpdir(), 'ollm-follower-'));
  const app = await createApp({ env: { HOME: home, OLLM_HOME: home }, cwd: home, command: 'test' });
  const writer = await app.store.create('oak', { provider: 'p', model: 'm', ollm: '0' });
  const growth = createGrowth(silentLog);
  const budget = new RingBudget(1_000_000);
  const follower = await Follower.open({
    ...{ followed: followedJournal(app, 'oak'), growth, ringBytes: 100_000, budget },
    onQueue() {},
  });
  return {
    ...{ follower, writer },
    kinds: () => follower.ring.from(0, 1_000_000).map(({ kind }) => kind),
    async [Symbol.asyncDispose]() {
      follower.stop('closing');
      growth.close();
      await writer.close();
      await app.close();
      rmSync(home, { recursive: true });
    },
  };
}

describe('a follower', () => {
  it('keeps a signal back until the event that was stored before it was read', async () => {
    await using world = await followed();
    const { follower, writer, kinds } = world;
    const next = writer.head.seq + 1;
    follower.signal(delta, next);
    follower.signal({ type: 'notice', text: 'behind it' }, -1);
    expect(kinds()).toEqual([]);
    await writer.append(said('user'));
    await until(() => kinds().length === 3);
    expect(kinds()).toEqual(['event', 'signal', 'signal']);
  });

  it('knows the streaming message until it is stored', async () => {
    await using world = await followed();
    const { follower, writer } = world;
    follower.signal(delta, -1);
    expect(follower.text.read('oak')).toContain('Roses');
    await writer.append(said('user'));
    await until(() => follower.head?.seq === writer.head.seq);
    expect(follower.text.read('oak')).toContain('Roses');
    await writer.append(said('assistant'));
    await until(() => follower.head?.seq === writer.head.seq);
    expect(follower.text.read('oak')).toBeUndefined();
  });
});
