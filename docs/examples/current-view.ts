// See what a model would be sent next, and what it was sent before an undo: currentView.
import { createSession, currentView, openMemoryStore, replay, viewFold } from 'ollm';

const store = openMemoryStore();
const session = await createSession(store, { name: 'Notes', provider: 'mine', model: 'mine-1', system: 'Be terse.' });
const said = async (role: 'user' | 'assistant', text: string) => {
  const data = { role, parts: [{ type: 'text' as const, text }], tokens: { count: 4, method: 'counted' as const } };
  const [receipt] = await session.append({ type: 'message.added', data: { ...data, trusted: role === 'user' } });
  return receipt?.seq ?? 0;
};
const question = await said('user', 'What is a journal?');
await said('assistant', 'A diary.');
// The answer is taken back, and another one given.
await session.append({ type: 'branch.moved', data: { head: question, reason: 'retry' } });
const last = await said('assistant', 'A file to which facts are added.');

const show = async (seq: number) => {
  const { states } = await replay(store.openReader('notes'), { view: viewFold }, { at: { seq } });
  const texts = currentView(states.view).flatMap((item) => (item.kind === 'message' ? item.parts : []));
  console.log(texts.map((part) => (part.type === 'text' ? part.text : '')).join(' | '));
};
await show(question + 1);
await show(last);
await session.close('exit');
