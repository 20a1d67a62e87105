import { inAddress } from '../api/in-address.ts';
import { linkTo, server } from '../api/server.ts';
import { go, sessionLink } from '../router.ts';
import type { Attempt } from '../state/attempt.ts';
import { giveBack } from '../state/draft.ts';
import type { SlashCommand } from './slash-list.tsx';

/** What can be done by a word behind a slash; in a session of another program, without what would write into it. */
export function commandsOf(props: {
  address: string;
  attempt: Attempt;
  onChange: () => void;
  onFind: () => void;
}): readonly SlashCommand[] {
  const { address, attempt, onChange, onFind } = props;
  const parameters = { id: address };
  const change = (work: () => Promise<unknown>): void =>
    void attempt(async () => {
      await work();
      onChange();
    });
  const own: readonly SlashCommand[] = [
    {
      name: 'undo',
      does: 'Take back the last turn',
      run: () => change(async () => giveBack(address, (await server.undoTurn({ parameters })).text ?? '')),
    },
    {
      name: 'compact',
      does: 'Make room in the window of the model',
      run: () => change(() => server.compactSession({ parameters })),
    },
    {
      name: 'title',
      takes: 'TEXT',
      does: 'Name this session',
      run: (summary) => change(() => server.renameSession({ parameters, body: { summary } })),
    },
  ];
  return [
    ...(address.includes(':') ? [] : own),
    {
      name: 'fork',
      does: 'Go on in a copy of this session',
      run: () =>
        void attempt(async () => go(sessionLink((await server.forkSession({ parameters, body: {} })).sessionId))),
    },
    { name: 'find', does: 'Find in this session', run: onFind },
    {
      name: 'search',
      takes: 'WORDS',
      does: 'Search all sessions',
      run: (rest) => go(`/search?q=${inAddress(rest)}`),
    },
    { name: 'cost', does: 'What this session cost', run: () => go(sessionLink(address, '?tab=cost')) },
    {
      name: 'export',
      does: 'Download it as Markdown',
      run: () => location.assign(linkTo('exportSession', { parameters, query: { format: 'md' } })),
    },
  ];
}
