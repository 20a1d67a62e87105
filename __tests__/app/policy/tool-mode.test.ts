import { createApp } from '../../../lib/app/compose.ts';
import { nextMode, switchMode } from '../../../lib/app/policy/tool-mode.ts';
import { openSession } from '../../../lib/app/sessions/open/open-session.ts';
import { saveSession } from '../../../lib/app/sessions/open/save-session.ts';
import { refuseForeign } from '../../../lib/events/refuse-foreign.ts';
import { says } from '../../support/scripted-provider.ts';
import { createTree } from '../../support/tree.ts';
import { callsTools, resultsOf } from '../../turn/tool-world.ts';
import { appWorld, tell } from '../world.ts';

const SANDBOXLESS = { OLLM_TOOLS__SANDBOX: 'off' };

function writesOnce(path: string) {
  return (request: { readonly messages: readonly { readonly role: string }[] }) =>
    request.messages.at(-1)?.role === 'user'
      ? callsTools({ name: 'file_write', args: { path, content: `x${request.messages.length}` }, callId: path })
      : says('Done.');
}

describe('the mode of a conversation', () => {
  it('is ask by default, and leaves no event', async () => {
    const { app } = await appWorld();
    const { state, session, notices } = await openSession(app, { kind: 'new' });
    expect([state.mode, session.states.tools.mode, notices]).toEqual(['ask', undefined, []]);
  });

  it('lets tools write from the turn on in which it is switched, until it is switched back', async () => {
    const { app, fileSystem, provider } = await appWorld({ script: writesOnce('a.txt') });
    const conversation = await openSession(app, { kind: 'new', toolMode: 'edits' });
    await tell(app, conversation, 'go');
    expect(fileSystem.stat('/home/me/project/a.txt')?.kind).toBe('file');
    await switchMode(app, conversation, 'plan');
    await tell(app, conversation, 'again');
    expect(resultsOf(provider.requests.at(-1)).at(-1)).toContain('plan mode, in which nothing is changed');
    expect(conversation.session.states.tools.mode).toBe('plan');
  });

  it('comes from the settings of the user, and never from those of a project', async () => {
    const { start } = await appWorld();
    const edits = await openSession(await start({ OLLM_TOOLS__MODE: 'edits' }), { kind: 'new' });
    expect(edits.state.mode).toBe('edits');
    expect(edits.notices).toEqual([expect.stringMatching(/^Mode edits: /)]);

    using project = createTree({ '.ollm/config.yaml': 'tools:\n  mode: auto\n' });
    using home = createTree();
    const app = await createApp({
      env: { HOME: home.root },
      cwd: project.root,
      flags: { provider: 'offline' },
      command: 'test',
    });
    expect(app.warnings.join('\n')).toContain('tools.mode');
    expect((await openSession(app, { kind: 'new', ephemeral: true })).state.mode).toBe('ask');
    await app.close();
  });

  it('is refused as auto without a sandbox, with the reason', async () => {
    const { app, start } = await appWorld({ env: SANDBOXLESS });
    await expect(openSession(app, { kind: 'new', toolMode: 'auto' })).rejects.toMatchObject({
      code: 'POLICY_DENIED',
      message: 'Mode auto needs a sandbox: tools.sandbox is off.',
    });
    const conversation = await openSession(app, { kind: 'new' });
    await expect(switchMode(app, conversation, 'auto')).rejects.toMatchObject({ code: 'POLICY_DENIED' });
    expect(conversation.state.mode).toBe('ask');
    // A setting that cannot hold here ends nothing.
    const { state, notices } = await openSession(await start({ OLLM_TOOLS__MODE: 'auto' }), { kind: 'new' });
    expect([state.mode, notices]).toEqual(['ask', [expect.stringContaining('tools.mode is auto, and does not count')]]);
  });

  it('is reported when a session is resumed, which restores only plan', async () => {
    const { app } = await appWorld();
    const first = await openSession(app, { kind: 'new', name: 'talk', toolMode: 'edits' });
    await first.session.close('exit');
    const second = await openSession(app, { kind: 'resume', reference: 'talk' });
    expect(second.state.mode).toBe('ask');
    expect(second.notices.join('\n')).toContain('its mode was edits; it is ask now. /mode edits changes that.');
    await switchMode(app, second, 'plan');
    await second.session.close('exit');
    const third = await openSession(app, { kind: 'resume', reference: 'talk' });
    expect([third.state.mode, third.notices.at(-1)]).toEqual(['plan', expect.stringMatching(/^Mode plan/)]);
  });

  it('is not taken from a journal that a foreign program wrote', async () => {
    const { app } = await appWorld();
    const { session } = await openSession(app, { kind: 'new', name: 'talk' });
    await session.append({ type: 'mode.changed', data: { mode: 'auto' } });
    await session.close('exit');
    expect((await openSession(app, { kind: 'resume', reference: 'talk' })).state.mode).toBe('ask');
    expect(refuseForeign({ type: 'mode.changed', data: { mode: 'auto' } })).toContain('only the user decides');
  });

  it('stays unchanged when an ephemeral session is saved', async () => {
    const { app } = await appWorld();
    const conversation = await openSession(app, { kind: 'new', ephemeral: true, toolMode: 'plan' });
    await tell(app, conversation, 'hello');
    expect((await saveSession(app, conversation)).state.mode).toBe('plan');
  });

  it('cycles through three modes by the key, and returns from auto', () => {
    expect([nextMode('ask'), nextMode('plan'), nextMode('edits'), nextMode('auto')]).toEqual([
      'plan',
      'edits',
      'ask',
      'ask',
    ]);
  });
});
