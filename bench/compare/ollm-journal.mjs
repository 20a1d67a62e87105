import { openSessionStore } from '@ollm/journal';

export async function open(directory) {
  const session = await openSessionStore(directory).openOrCreate({ name: 'garden' });
  return {
    append: (message) => session.append(message),
    messages: async () => (await session.messages('ai-sdk')).messages,
    close: () => session.close(),
  };
}
