import Hypercore from 'hypercore';

export async function open(directory) {
  const core = new Hypercore(directory, { valueEncoding: 'json' });
  await core.ready();
  return {
    append: ({ role, content }) => core.append({ role, content }),
    async messages() {
      const messages = [];
      for await (const message of core.createReadStream()) messages.push(message);
      return messages;
    },
    close: () => core.close(),
  };
}
