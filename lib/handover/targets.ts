// Which programs a conversation can be handed to. The writer of one is loaded when it is asked for.
import type { Target } from './target.ts';

const WRITERS = {
  claude: async () => (await import('./programs/claude.ts')).claude,
  codex: async () => (await import('./programs/codex.ts')).codex,
  copilot: async () => (await import('./programs/copilot.ts')).copilot,
  gemini: async () => (await import('./programs/gemini.ts')).gemini,
  opencode: async () => (await import('./programs/opencode.ts')).opencode,
  pi: async () => (await import('./programs/pi.ts')).pi,
  qwen: async () => (await import('./programs/qwen.ts')).qwen,
} as const satisfies Readonly<Record<string, () => Promise<Target>>>;

/** A program that takes a session in. */
export type TargetName = keyof typeof WRITERS;

export const TARGET_NAMES = Object.keys(WRITERS) as readonly TargetName[];

/** These, and programs that can only be given a document. */
export type HandoverName = TargetName | 'cursor';

export const HANDOVER_NAMES: readonly HandoverName[] = [...TARGET_NAMES, 'cursor'].toSorted() as HandoverName[];

export async function loadTarget(name: HandoverName): Promise<Target> {
  return name === 'cursor' ? (await import('./programs/cursor.ts')).cursor : WRITERS[name]();
}
