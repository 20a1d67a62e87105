// The store of the chapter “Message persistence” of its guide.
import { existsSync, mkdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { convertToModelMessages, generateId } from 'ai';

async function loadChat(file) {
  if (!existsSync(file)) await writeFile(file, '[]');
  return JSON.parse(await readFile(file, 'utf8'));
}

async function saveChat(file, messages) {
  await writeFile(file, JSON.stringify(messages, null, 2));
}

export async function open(directory) {
  mkdirSync(directory, { recursive: true });
  const file = join(directory, 'garden.json');
  const messages = await loadChat(file);
  return {
    append({ role, content }) {
      messages.push({ id: generateId(), role, parts: [{ type: 'text', text: content }] });
      return saveChat(file, messages);
    },
    messages: () => convertToModelMessages(messages),
    close: async () => {},
  };
}
