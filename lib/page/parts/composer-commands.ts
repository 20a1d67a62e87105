import { inAddress } from '../api/in-address.ts';
import { linkTo, server } from '../api/server.ts';
import { go, sessionLink } from '../router.ts';
import type { Attempt } from '../state/attempt.ts';
import { giveBack } from '../state/draft.ts';
import type { SlashCommand } from '../state/slash-commands.ts';

/** Commands after a slash; in a session of another program, without those that would write into it. */
export function commandsOf(props: {
  address: string;
  /** The agent that goes on with its session. */
  agent: string | undefined;
  attempt: Attempt;
  onChange: () => void;
  onFind: () => void;
}): readonly SlashCommand[] {
  const { address, agent, attempt, onChange, onFind } = props;
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
  const ofAgent = (provider: string): readonly SlashCommand[] => [
    {
      name: 'model',
      takes: 'NAME',
      does: 'Model of the agent, in its words',
      run: (model) => change(() => server.setModel({ parameters: { provider, id: address }, body: { model } })),
    },
    {
      name: 'thinking',
      takes: 'NAME',
      does: 'How much the agent thinks, in its words',
      run: (thinkingMode) =>
        change(() => server.setThinking({ parameters: { provider, id: address }, body: { thinkingMode } })),
    },
  ];
  return [
    ...(address.includes(':') ? [] : own),
    ...(agent === undefined ? [] : ofAgent(agent)),
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
