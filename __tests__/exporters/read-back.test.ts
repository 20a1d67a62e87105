// A session that is exported for other programs, and read back as a session of another program.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Agent } from '../../lib/agents/agent.ts';
import { asf } from '../../lib/agents/asf/asf.ts';
import { atif } from '../../lib/agents/atif/atif.ts';
import { openForeign } from '../../lib/agents/open-foreign.ts';
import { exportConversation } from '../../lib/app/sessions/read/export-session.ts';
import type { EventReader } from '../../lib/journal/types.ts';
import { nodeFileSystem } from '../../lib/platform/index.ts';
import { currentView, currentViewSummary } from '../../lib/projections/current-view.ts';
import { replay } from '../../lib/projections/replay.ts';
import { viewFold } from '../../lib/projections/view.ts';
import { arbitrarySession } from '../support/arbitrary-session.ts';
import type { StoredElsewhere } from '../support/continued-session.ts';
import { readerOf, stored } from '../support/event-list.ts';
import { areSessionsAtHand, sessionsAtHand, withArchive } from '../support/sessions-at-hand.ts';

const FORMS = { asf, atif } as unknown as Readonly<Record<'asf' | 'atif', Agent>>;

/** Messages, calls and results that the model is sent next: their texts, without those of white space. */
async function saidIn(reader: EventReader): Promise<readonly string[]> {
  const { view } = (await replay(reader, { view: viewFold })).states;
  const summary = currentViewSummary(view);
  const said = currentView(view).flatMap((item): string[] => {
    if (item.kind === 'message') {
      const texts = item.parts.flatMap((part) => (part.type === 'text' ? part.text : []));
      // A message in pieces is an item for each piece.
      return texts.filter((text) => /\S/.test(text)).map((text) => `${item.role === 'assistant' ? 'a' : 'u'}: ${text}`);
    }
    if (item.kind !== 'call') return [];
    const result = item.result === undefined ? [] : [`result ${item.result.content}`];
    return [`call ${item.name} ${JSON.stringify(item.args)}`, ...result];
  });
  return summary === undefined || summary === '' ? said : [`u: ${summary}`, ...said];
}

/**
 * The list without the order of texts and calls, and without white space: a trajectory has one text for each answer,
 * before its calls.
 */
function inAnyOrder(said: readonly string[]): readonly string[] {
  const joined = (start: string) =>
    said
      .flatMap((text) => (text.startsWith(start) ? [text.slice(start.length)] : []))
      .join('')
      .replace(/\s+/g, '');
  return [...said.filter((text) => /^(?:call|result) /.test(text)).toSorted(), joined('u: '), joined('a: ')];
}

const same = (form: 'asf' | 'atif', said: readonly string[]) => (form === 'asf' ? said : inAnyOrder(said));

async function isCompacted(reader: EventReader): Promise<boolean> {
  for await (const batch of reader.outcomes({})) {
    if (batch.some((one) => one.kind === 'event' && one.event.type === 'compaction.completed')) return true;
  }
  return false;
}

const folder = mkdtempSync(join(tmpdir(), 'ollm-read-back-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function readBack(form: 'asf' | 'atif', reader: EventReader): Promise<readonly string[]> {
  const { chunks } = await exportConversation(reader, { format: form });
  const path = join(folder, 'session');
  writeFileSync(path, Buffer.concat(await Array.fromAsync(chunks)));
  const agent = FORMS[form];
  const back = openForeign(
    agent,
    { agent: agent.name, id: 'back', path },
    { fileSystem: nodeFileSystem, uid: undefined },
  );
  try {
    return await saidIn(back);
  } finally {
    back.close();
  }
}

describe.each(['asf', 'atif'] as const)('a session as %s, read back', (form) => {
  it('has its messages, calls and results, in their order', async () => {
    const kinds = [
      'session.created',
      'message.added',
      'tool.requested',
      'tool.finished',
      'model.changed',
      'session.titled',
    ];
    await fc.assert(
      fc.asyncProperty(arbitrarySession(), async (events) => {
        const some = stored(events.filter(({ type }) => kinds.includes(type)));
        const [was, is] = [await saidIn(readerOf(some)), await readBack(form, readerOf(some))];
        expect(same(form, is)).toEqual(same(form, was));
      }),
    );
  });

  (areSessionsAtHand ? it : it.skip)(
    'has its messages, calls and results, for every foreign session at hand',
    async () => {
      const other: string[] = [];
      const tryAll = async (sessions: readonly StoredElsewhere[]) => {
        for (const { agent, source, fileSystem = nodeFileSystem } of sessions) {
          const open = () => openForeign(agent, source, { fileSystem, uid: undefined });
          // A trajectory says nothing of a compaction.
          if (form === 'atif' && (await isCompacted(open()))) continue;
          const [was, is] = [same(form, await saidIn(open())), same(form, await readBack(form, open()))];
          const at = was.findIndex((text, index) => text !== is[index]);
          if (at >= 0 || was.length !== is.length)
            other.push(`${agent.name}:${source.id} at ${at}: ${was[at]} | ${is[at]}`);
        }
      };
      await tryAll(await sessionsAtHand());
      await withArchive(tryAll);
      expect(other).toEqual([]);
    },
  );
});
