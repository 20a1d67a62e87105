// In a session of another agent: who answers, and the model and the thinking of the agent, in its own words.
import { useState } from 'preact/hooks';
import { server } from '../api/server.ts';
import type { WhoAnswers } from '../state/agents.ts';
import type { Attempt } from '../state/attempt.ts';
import { agentName } from './icon.tsx';
import { PickMenu } from './menu.tsx';
import { useModels } from './model-menus.tsx';

interface AgentMenusProps {
  agent: string;
  answering: WhoAnswers;
  address: string;
  attempt: Attempt;
  onChange: () => void;
}

export function AgentMenus({ agent, answering, ...props }: AgentMenusProps) {
  return (
    <>
      <AnsweredBy agent={agent} answering={answering} />
      {answering.isByAgent ? <AgentModels agent={agent} {...props} /> : null}
    </>
  );
}

function AnsweredBy({ agent, answering }: Pick<AgentMenusProps, 'agent' | 'answering'>) {
  const { isByAgent, choose } = answering;
  const name = agentName(agent);
  return (
    <PickMenu
      label={`Answered by ${isByAgent ? name : 'ollm'}`}
      items={[
        { label: name, note: 'goes on with its own session', onPick: () => choose(true) },
        { label: 'ollm', note: 'in a journal of your own', onPick: () => choose(false) },
      ]}
    >
      {isByAgent ? name : 'ollm'}
    </PickMenu>
  );
}

/** The models that the agent has named; `/model` and `/thinking` take others. */
function AgentModels({ agent, address, attempt, onChange }: Omit<AgentMenusProps, 'answering'>) {
  const { all, load } = useModels(attempt, agent);
  const [chosen, setChosen] = useState<string>();
  const pick = (model: string): void =>
    void attempt(async () => {
      await server.setModel({ parameters: { provider: agent, id: address }, body: { model } });
      setChosen(model);
      onChange();
    });
  // An agent that has not run yet has named none.
  if (all?.length === 0) return null;
  return (
    <PickMenu
      label={`Model: ${chosen ?? 'as before'}`}
      onWish={load}
      items={(all ?? []).map(({ value, displayName }) => ({ label: displayName, onPick: () => pick(value) }))}
    >
      {chosen ?? 'Model'}
    </PickMenu>
  );
}
