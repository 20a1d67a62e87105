import type { Bug } from '../bug.ts';

export const bug: Bug = {
  name: 'cut-without-a-copy',
  what: 'What recovery takes off the end is not kept.',
  edits: [
    {
      file: 'lib/journal/writing/writer.ts',
      find: '  const name = await quarantine(ports, handle, { id, offset, directory: quarantineDirectory });',
      replace: "  const name = [id, offset, quarantineDirectory.length, handle.path.length, 'bin'].join('.');",
    },
  ],
};
