import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { LOCAL_RUNS } from '../../../lib/handover/proof/local-runs.ts';
import type { Program } from './program.ts';

/** From which its screens show a thread. */
const ITEMS = 'SELECT item_json AS item FROM thread_items WHERE thread_id = ? ORDER BY rollout_ordinal';

interface Item {
  readonly type: string;
  readonly text?: string;
  readonly content?: readonly { readonly text: string }[];
}

export const codex: Program = {
  ...LOCAL_RUNS.codex,
  agent: 'codex',
  idMember: 'thread_id',
  call: (command) => ({ name: 'exec_command', args: { cmd: command } }),
  oracle: {
    says({ home, id }) {
      using database = new DatabaseSync(join(home, '.codex', 'thread_history_1.sqlite'), { readOnly: true });
      const rows = database.prepare(ITEMS).all(id) as { item: string }[];
      const texts = rows.flatMap(({ item }): string[] => {
        const { type, text, content } = JSON.parse(item) as Item;
        if (type === 'agentMessage') return [`assistant: ${text}`];
        return type === 'userMessage' ? (content ?? []).map((part) => `user: ${part.text}`) : [];
      });
      return { id, texts };
    },
  },
};
