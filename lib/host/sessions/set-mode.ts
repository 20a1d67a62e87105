import type { Leader } from '../../lead/leader.ts';
import type { ToolMode } from '../../tools/modes.ts';

/** The mode of the session from here on. @throws OllmError POLICY_DENIED: auto without a sandbox */
export async function setMode(leader: Leader, mode: ToolMode | undefined): Promise<void> {
  if (mode === undefined) return;
  await leader.beside(async (app, conversation) => {
    if (conversation.state.mode === mode) return;
    const { switchMode } = await import('../../app/policy/tool-mode.ts');
    await switchMode(app, conversation, mode);
  });
}
