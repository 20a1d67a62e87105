// /env: the names of the variables that a tool would see, and of those that would be kept from it. Never a value.

import { sanitizeLine } from '../../display/sanitize.ts';
import type { ReplCommand } from './command.ts';

export const envCommand: ReplCommand = {
  name: 'env',
  group: 'tools',
  arguments: '',
  summary: 'shows which variables tools may see; ollm env --explain says why',
  example: '/env',
  legal: 'always',
  async run({ app, front }) {
    const { toolEnvironment } = await import('../../app/tools/tool-environment.ts');
    const { rows } = toolEnvironment(app);
    const names = (keeps: boolean) =>
      rows
        .filter((row) => row.keeps === keeps)
        .map((row) => sanitizeLine(row.name))
        .join(', ') || 'none';
    front.print([
      { text: 'Seen: ', styles: ['bold'] },
      { text: names(true), styles: [] },
    ]);
    front.print([
      { text: 'Kept from tools: ', styles: ['bold'] },
      { text: names(false), styles: [] },
    ]);
    return undefined;
  },
};
