// The rules of sessions over any store, as a program keeps them by the five verbs.
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { openSessionStore } from '../session-store.ts';
import { type ContractCase, casesOf, type OpenStore, withCode } from './case.ts';

const CALL = { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: {} };

/**
 * The rules that hold for sessions in each store.
 *
 * @example
 * for (const { name, run } of sessionContract(open)) test(name, run);
 */
export function sessionContract(open: OpenStore): ContractCase[] {
  return casesOf(open, {
    async 'A session is found by the name that it was made with'(store, another) {
      for (const name of ['Garden', 'Über Straße', '日本']) {
        const session = await openSessionStore(store).openOrCreate({ name });
        equal(session.report.created, true);
        await session.append({ role: 'user', content: name });
        await session.close();
        await using again = await openSessionStore(await another()).openOrCreate({ name });
        deepEqual([again.id, again.report.created, again.report.notices], [session.id, false, []]);
        match(JSON.stringify(await again.messages('openai-chat')), new RegExp(name));
      }
    },
    async 'A session sends the same after it was closed and opened, in each form'(store) {
      const sessions = openSessionStore(store);
      const first = await sessions.openOrCreate({ name: 'Garden', system: 'Be terse.', model: 'm', provider: 'p' });
      const image = { type: 'file', mediaType: 'image/png', data: new Uint8Array([137, 80, 78, 71]) };
      await first.append({ role: 'user', content: [{ type: 'text', text: 'When?' }, image] });
      await first.append({ role: 'assistant', content: [{ type: 'reasoning', text: 'Hm.' }, CALL] });
      const output = { type: 'text', value: 'x'.repeat(100_000) };
      await first.append({ role: 'tool', content: [{ ...CALL, type: 'tool-result', output }] });
      await first.append({ role: 'assistant', content: 'In May.' });
      const forms = ['openai-chat', 'openai-responses', 'anthropic', 'gemini', 'ai-sdk', 'ai-sdk-ui'] as const;
      const before = await Promise.all(forms.map((form) => first.messages(form)));
      const spent = first.tokens();
      await first.close();
      await using again = await sessions.openOrCreate({ name: 'Garden' });
      deepEqual(await Promise.all(forms.map((form) => again.messages(form))), before);
      deepEqual(again.tokens(), spent);
    },
    async 'A session continues where a killed program was, and says what it does not know'(store) {
      const sessions = openSessionStore(store);
      const killed = await sessions.openOrCreate({ name: 'Garden' });
      await killed.append({ role: 'user', content: 'When?' });
      await killed.append({ role: 'assistant', content: [CALL] });
      // Only the lock is given up, as the system does it.
      await killed.session.writer.close();
      await using again = await sessions.openOrCreate({ name: 'Garden' });
      ok(again.report.notices.length > 0);
      const sent = JSON.stringify(await again.messages('openai-chat'));
      match(sent, /When\?/);
      match(sent, /Whether it ran is not known/);
    },
    async 'A message is stored whole or not at all'(store) {
      const sessions = openSessionStore(store);
      await using session = await sessions.openOrCreate({ name: 'Garden' });
      const output = { type: 'text', value: 'x' };
      const dangling = { role: 'tool', content: [{ ...CALL, type: 'tool-result', output }] };
      await rejects(session.append([{ role: 'user', content: 'a' }, dangling]), withCode('EVENT_DANGLING'));
      equal((await sessions.list())[0]?.messageCount, 0);
    },
    async 'A session is open in one place at a time'(store, another) {
      await using session = await openSessionStore(store).openOrCreate({ name: 'Garden' });
      const other = openSessionStore(await another());
      await rejects(other.openOrCreate({ name: 'Garden' }), withCode('JOURNAL_LOCKED'));
      await session.append({ role: 'user', content: 'Still mine.' });
    },
    async 'A session is made once where several ask for it at the same time'(store) {
      const sessions = openSessionStore(store);
      const asked = await Promise.allSettled(
        Array.from({ length: 5 }, () => sessions.openOrCreate({ name: 'Garden' })),
      );
      const opened = asked.filter((one) => one.status === 'fulfilled');
      equal(opened.length, 1);
      ok(asked.every((one) => one.status === 'fulfilled' || withCode('JOURNAL_LOCKED')(one.reason)));
      await opened[0]!.value.close();
      equal((await sessions.list()).length, 1);
    },
    async 'A list has the title and the counts of each session, the newest first'(store) {
      const sessions = openSessionStore(store);
      await (await sessions.openOrCreate({ name: 'Older' })).close();
      await using newer = await sessions.openOrCreate({ name: 'Newer' });
      await newer.append({ role: 'user', content: 'When?' });
      const rows = (await sessions.list()).map(({ title, messageCount, turnCount }) => [
        title,
        messageCount,
        turnCount,
      ]);
      deepEqual(
        rows.toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1)),
        [
          ['Newer', 1, 1],
          ['Older', 0, 0],
        ],
      );
    },
    async 'A secret of a known shape does not reach the store'(store) {
      const secret = `sk-ant-api03-${'aB3dE5'.repeat(15)}AA`;
      await using session = await openSessionStore(store).openOrCreate({ name: 'Garden' });
      await session.append({ role: 'user', content: `My key is ${secret}.` });
      const reader = store.openReader(session.id);
      const outcomes = (await Array.fromAsync(reader.outcomes())).flat();
      reader.close();
      const raw = outcomes.map((one) => (one.kind === 'event' ? JSON.stringify(one.event.data) : '')).join('\n');
      match(raw, /My key is/);
      equal(raw.includes(secret), false);
    },
  });
}
