import type { Bug } from '../bug.ts';

export const bug: Bug = {
  name: 'forget-the-key',
  what: 'An append with a key that is stored already is stored again.',
  edits: [
    {
      file: 'lib/journal/writing/appender.ts',
      find: '        const known = (event.id === undefined ? undefined : draft.ids.get(event.id)) ?? this.#ids.get(event.id);',
      replace: '        const known = event.id === undefined ? undefined : draft.ids.get(event.id);',
    },
  ],
};
