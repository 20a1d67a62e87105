import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export async function open(directory) {
  mkdirSync(directory, { recursive: true });
  const database = new DatabaseSync(join(directory, 'chats.sqlite'));
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
  database.exec('CREATE TABLE IF NOT EXISTS message (chat TEXT, at INTEGER, role TEXT, content TEXT) STRICT');
  const insert = database.prepare('INSERT INTO message VALUES (?, ?, ?, ?)');
  const select = database.prepare('SELECT role, content FROM message WHERE chat = ? ORDER BY rowid');
  return {
    append: async ({ role, content }) => void insert.run('garden', Date.now(), role, content),
    messages: async () => select.all('garden'),
    close: async () => database.close(),
  };
}
