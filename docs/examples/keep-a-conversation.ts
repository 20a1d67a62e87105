// Keep the conversation of an agent that asks its model itself: open it by its name, append each message in the form of
// the API, and send the result of `messages`. Killed at any place, it continues where it was.
import { type OpenAiChatMessage, openSessionStore } from 'ollm';

/** In place of `client.chat.completions.create`: asks for the weather, then answers. */
async function complete({ messages }: { messages: OpenAiChatMessage[] }) {
  const last = messages.at(-1);
  const message =
    last?.role === 'tool'
      ? { role: 'assistant', content: 'Not today: there is frost.' }
      : {
          role: 'assistant',
          content: null,
          tool_calls: [{ type: 'function', id: 'call-1', function: { name: 'weather', arguments: '{"days":1}' } }],
        };
  return {
    model: 'mine-1',
    choices: [{ message, finish_reason: last?.role === 'tool' ? 'stop' : 'tool_calls' }],
    usage: { prompt_tokens: 100, completion_tokens: 10 },
  };
}

const sessions = openSessionStore(process.argv[2] ?? './sessions', { prices: { 'mine-*': { input: 1, output: 4 } } });
await using session = await sessions.openOrCreate({ name: 'Garden', system: 'You know the garden.', model: 'mine-1' });
for (const notice of session.report.notices) console.log(notice);

await session.append({ role: 'user', content: 'Do I sow beans?' });
for (;;) {
  const answer = await complete(await session.messages('openai-chat'));
  await session.append(answer, 'openai-chat');
  const [choice] = answer.choices;
  const { tool_calls: calls = [], content } = choice!.message;
  if (calls.length === 0) {
    console.log(content);
    break;
  }
  for (const { id, function: called } of calls) {
    await session.append({ role: 'tool', tool_call_id: id, content: `${called.name}: frost` }, 'openai-chat');
  }
}
for (const { title, turnCount, spent } of await sessions.list())
  console.log(`${title}: turns ${turnCount}, $${spent.totalCost}`);
