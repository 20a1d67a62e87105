// Catalogues in homes of their own, and messages that are put into one without a sync.
import type { SQLInputValue } from 'node:sqlite';
import type { App } from '../lib/app/app.ts';
import { createApp } from '../lib/app/compose.ts';
import type { CatalogEdit } from '../lib/catalog/catalog-edit.ts';

/** An app as a new process has it: nothing is in memory. */
export function appIn(home: string): Promise<App> {
  return createApp({ env: { HOME: home, OLLM_HOME: home }, cwd: home, command: 'bench' });
}

const COLUMNS = ['id', 'session', 'seq', 'role', 'at', 'kind', 'tool', 'size', 'text'] as const;

/** Adds rows of the table of messages, each with its text as it is indexed. */
export function messageWriter(edit: CatalogEdit) {
  const values = COLUMNS.map((column) => `:${column}`);
  const insert = edit.database.prepare(`INSERT INTO messages (${COLUMNS.join()}) VALUES (${values.join()})`);
  return (row: Readonly<Record<(typeof COLUMNS)[number], SQLInputValue>> & { readonly id: number }, words: string) =>
    edit.add(1 + words.length / 512, (_, index) => {
      insert.run(row);
      index(row.id, words);
    });
}
