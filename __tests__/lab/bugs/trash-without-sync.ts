import type { Bug } from '../bug.ts';

export const bug: Bug = {
  name: 'trash-without-sync',
  what: 'A session is moved to the trash, and neither directory is synced.',
  edits: [
    {
      file: 'lib/file-store/trash.ts',
      find: `  await settleMove(context, \`Session \${id} is in the trash\`, [folder, paths.directory]);
  return requireEntry(context, entry);`,
      replace: '  return requireEntry(context, entry);',
    },
  ],
};
