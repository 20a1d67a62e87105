import type { Bug } from '../bug.ts';

export const bug: Bug = {
  name: 'append-behind-a-torn-tail',
  what: 'A torn line is not taken off before the next line is written.',
  edits: [
    {
      file: 'lib/journal/writing/writer.ts',
      find: '  const plan = await planOpening(handle, options, options);',
      replace: '  const plan = { ...(await planOpening(handle, options, options)), cut: undefined };',
    },
    {
      file: 'lib/journal/writing/writer.ts',
      find: `  endLastLine(file);
`,
      replace: '',
    },
  ],
};
