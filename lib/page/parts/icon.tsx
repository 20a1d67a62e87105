// An icon has a word next to it, or a label. An agent is two letters in a square: no logos of others.
import { ICON_PATHS, type IconName } from '../model/icon-paths.ts';

export type { IconName };

export function Icon({ name, label }: { name: IconName; label?: string }) {
  const said = label === undefined ? { 'aria-hidden': true } : ({ role: 'img', 'aria-label': label } as const);
  return (
    <svg class="icon" viewBox="0 0 16 16" {...said}>
      <path d={ICON_PATHS[name]} />
    </svg>
  );
}

const AGENTS: Readonly<Record<string, readonly [mark: string, name: string]>> = {
  ollm: ['ol', 'ollm'],
  claude: ['Cl', 'Claude Code'],
  codex: ['Cx', 'Codex'],
  gemini: ['Ge', 'Gemini CLI'],
  cursor: ['Cu', 'Cursor'],
  copilot: ['Co', 'Copilot CLI'],
  qwen: ['Qw', 'Qwen Code'],
  opencode: ['Oc', 'opencode'],
  pi: ['Pi', 'pi'],
};

/** The name of an agent, as people write it. */
export function agentName(agent: string): string {
  return AGENTS[agent]?.[1] ?? agent;
}

/** Two letters in a square, with the agent's name for screen readers. */
export function AgentMark({ agent }: { agent: string }) {
  return (
    <span class="agent" title={agentName(agent)}>
      <span aria-hidden="true">{AGENTS[agent]?.[0] ?? agent.slice(0, 2)}</span>
      <span class="said-only">{agentName(agent)}</span>
    </span>
  );
}
