// The agents of other makers that can be run, and who answers in a session of an agent.
import { useState } from 'preact/hooks';
import { server } from '../api/server.ts';
import type { SentProvider } from '../api/types.ts';
import { useResource } from '../api/use-resource.ts';
import type { Pages } from './pages.ts';

/** The agents that ollm can run; one that is not installed has `install` instead of `program`. */
export function useAgents(isWanted = true): readonly SentProvider[] {
  const { value } = useResource(isWanted ? 'providers' : undefined, (signal) => server.listProviders({ signal }));
  return value?.providers.filter(({ id }) => id !== 'ollm') ?? [];
}

export interface WhoAnswers {
  /** The agent of the session, where ollm can run it here. */
  readonly agent: SentProvider | undefined;
  /** Whether that agent goes on with its own session; else ollm does in a journal of its own. */
  readonly isByAgent: boolean;
  choose(isByAgent: boolean): void;
}

/** An agent that worked here before goes on, unless the user chooses otherwise. */
export function useAnswering(address: string, pages: Pages, isLed: boolean): WhoAnswers {
  const [name, id] = address.split(':', 2);
  const agents = useAgents(id !== undefined);
  const [chosen, setChosen] = useState<boolean>();
  const agent = agents.find((each) => each.id === name && each.program !== undefined);
  const hasRun =
    isLed || [...pages.loaded.values()].some(({ events }) => events.some(({ type }) => type.startsWith('run.')));
  return { agent, isByAgent: agent !== undefined && (chosen ?? hasRun), choose: setChosen };
}
