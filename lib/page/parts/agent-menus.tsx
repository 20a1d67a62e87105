// In a session of another agent: who answers, and the model and the thinking of the agent, in its own words.
import { useState } from 'preact/hooks';
import { server } from '../api/server.ts';
import type { ModelChoice } from '../api/types.ts';
import type { WhoAnswers } from '../state/agents.ts';
import type { Attempt } from '../state/attempt.ts';
import { agentName, Icon } from './icon.tsx';
import { Menu } from './menu.tsx';

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
    <Menu
      label={`Answered by ${isByAgent ? name : 'ollm'}`}
      class="plain"
      align="left"
      items={[
        { label: name, note: 'goes on with its own session', onPick: () => choose(true) },
        { label: 'ollm', note: 'in a journal of your own', onPick: () => choose(false) },
      ]}
    >
      <span class="cut">{isByAgent ? name : 'ollm'}</span>
      <Icon name="down" />
    </Menu>
  );
}

/** The models that the agent has named; `/model` and `/thinking` take others. */
function AgentModels({ agent, address, attempt, onChange }: Omit<AgentMenusProps, 'answering'>) {
  const [models, setModels] = useState<readonly ModelChoice[]>();
  const [chosen, setChosen] = useState<string>();
  const load = (): void => {
    if (models === undefined)
      void attempt(async () => setModels((await server.listModels({ parameters: { provider: agent } })).models));
  };
  const pick = (model: string): void =>
    void attempt(async () => {
      await server.setModel({ parameters: { provider: agent, id: address }, body: { model } });
      setChosen(model);
      onChange();
    });
  // An agent that has not run yet has named none.
  if (models?.length === 0) return null;
  return (
    <Menu
      label={`Model: ${chosen ?? 'as before'}`}
      class="plain"
      align="left"
      onWish={load}
      items={(models ?? []).map(({ value, displayName }) => ({ label: displayName, onPick: () => pick(value) }))}
    >
      <span class="cut">{chosen ?? 'Model'}</span>
      <Icon name="down" />
    </Menu>
  );
}
