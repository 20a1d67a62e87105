// A turn counts the tokens of the new part of it, however long the session is: counted, not timed.

import type { NewOllmEvent } from '../../lib/events/index.ts';
import { estimatingCounter } from '../../lib/tokens/estimate.ts';
import { newSession } from '../support/generated-journals.ts';
import { distinctWords } from '../support/generated-session.ts';
import { playTurn } from '../support/played-turn.ts';
import { createTree } from '../support/tree.ts';

test('turn 60 counts as many characters as turn 10', async () => {
  using tree = createTree();
  const session = await newSession(tree.root, 'counted');
  for (let turn = 1; turn <= 60; turn += 1) {
    let counted = 0;
    const counter = {
      ...estimatingCounter,
      count(text: string) {
        counted += text.length;
        return estimatingCounter.count(text);
      },
    };
    const { events, newCharacters } = turnOf(turn);
    await playTurn(session, tree.root, events, counter);
    if (turn === 10 || turn === 60) expect(counted / newCharacters).toBeLessThan(1.05);
  }
  await session.close('exit');
});

/** All as long, and none says what one before it said. */
function turnOf(turn: number): { readonly events: readonly NewOllmEvent[]; readonly newCharacters: number } {
  const words = distinctWords(400, turn);
  const [question, output, answer] = [words.slice(0, 20), words.slice(20, 300), words.slice(300)].map((some) =>
    some.join(''),
  );
  const message = (role: 'user' | 'assistant', text: string) =>
    ({ type: 'message.added', data: { role, parts: [{ type: 'text', text }] } }) as unknown as NewOllmEvent;
  const events = [
    message('user', question!),
    { type: 'tool.requested', data: { args: { turn } } },
    { type: 'tool.finished', data: { result: { llmContent: output } } },
    message('assistant', answer!),
  ] as unknown as readonly NewOllmEvent[];
  return { events, newCharacters: question!.length + output!.length + answer!.length };
}
