import { LOCAL_RUNS } from '../../../lib/handover/proof/local-runs.ts';
import type { Program } from './program.ts';

export const opencode: Program = {
  ...LOCAL_RUNS.opencode,
  agent: 'opencode',
  idMember: 'sessionID',
  call: (command) => ({ name: 'bash', args: { command, description: 'Reads the notes' } }),
  kept: (prompt) => `"${prompt}"`,
  oracle: {
    asks: (id) => ['export', id],
    says({ output }) {
      const { info, messages } = JSON.parse(output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1)) as Exported;
      const texts = messages.flatMap(({ info: { role }, parts }) =>
        parts.flatMap(({ type, text = '' }) => (type === 'text' && text !== '' ? [`${role}: ${text}`] : [])),
      );
      return { id: info.id, title: info.title, texts };
    },
  },
};

interface Exported {
  readonly info: { readonly id: string; readonly title: string };
  readonly messages: readonly {
    readonly info: { readonly role: string };
    readonly parts: readonly { readonly type: string; readonly text?: string }[];
  }[];
}
