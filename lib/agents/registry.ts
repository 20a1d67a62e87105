// The list of agents. The module of an agent is loaded on demand, so that a command loads only those that it reads.
import { OllmError } from '../errors/index.ts';
import type { Agent } from './agent.ts';

const MODULES = {
  aider: async () => (await import('./aider/aider.ts')).aider,
  amp: async () => (await import('./amp/amp.ts')).amp,
  antigravity: async () => (await import('./antigravity/antigravity.ts')).antigravity,
  claude: async () => (await import('./claude/claude.ts')).claude,
  cline: async () => (await import('./cline/cline.ts')).cline,
  codex: async () => (await import('./codex/codex.ts')).codex,
  copilot: async () => (await import('./copilot/copilot.ts')).copilot,
  crush: async () => (await import('./crush/crush.ts')).crush,
  cursor: async () => (await import('./cursor/cursor.ts')).cursor,
  devin: async () => (await import('./atif/atif.ts')).devin,
  droid: async () => (await import('./droid/droid.ts')).droid,
  gemini: async () => (await import('./gemini/gemini.ts')).gemini,
  goose: async () => (await import('./goose/goose.ts')).goose,
  hermes: async () => (await import('./hermes/hermes.ts')).hermes,
  kilo: async () => (await import('./cline/cline.ts')).kilo,
  kimi: async () => (await import('./kimi/kimi.ts')).kimi,
  kiro: async () => (await import('./kiro/kiro.ts')).kiro,
  opencode: async () => (await import('./opencode/opencode.ts')).opencode,
  // After opencode, whose copy it is: an exported file of either is taken for one of opencode.
  'kilo-cli': async () => (await import('./opencode/opencode.ts')).kiloCli,
  pi: async () => (await import('./pi/pi.ts')).pi,
  qwen: async () => (await import('./qwen/qwen.ts')).qwen,
  roo: async () => (await import('./cline/cline.ts')).roo,
  vibe: async () => (await import('./vibe/vibe.ts')).vibe,
  // Forms that no program keeps in a place of its own.
  asf: async () => (await import('./asf/asf.ts')).asf,
  atif: async () => (await import('./atif/atif.ts')).atif,
} as const;

type AgentName = keyof typeof MODULES;

/** The text before `:` in an address, for each agent. */
export const AGENT_NAMES = Object.keys(MODULES) as readonly AgentName[];

export function isAgentName(name: string): name is AgentName {
  return Object.hasOwn(MODULES, name);
}

/**
 * @example
 * const claude = await loadAgent('claude');
 * @throws OllmError USAGE if there is no such agent
 */
export async function loadAgent(name: string): Promise<Agent> {
  if (isAgentName(name)) return MODULES[name]() as Promise<Agent>;
  throw new OllmError('USAGE', `“${name}” is not an agent.`, { hint: `There are: ${AGENT_NAMES.join(', ')}.` });
}
