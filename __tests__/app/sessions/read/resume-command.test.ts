// The command that goes on with a session in its own program.
import { resumeCommand } from '../../../../lib/app/sessions/read/resume-command.ts';

it.each([
  [{ agent: 'ollm', id: 'oak' }, ['ollm', 'resume', 'oak']],
  [{ agent: 'claude', id: '5f3c' }, ['claude', '--resume', '5f3c']],
  [{ agent: 'codex', id: '019b' }, ['codex', 'resume', '019b']],
  [{ agent: 'gemini', id: '02cc-2026', programId: '02cc' }, ['gemini', '--resume', '02cc']],
  [{ agent: 'claude', id: '5f3c/agent-a1' }, undefined],
  [{ agent: 'cursor', id: '5f3c' }, undefined],
  [{ agent: 'cline', id: '1767348000000_ab1cd' }, ['cline', '--id', '1767348000000_ab1cd']],
  [{ agent: 'cline', id: '1767348000000' }, undefined],
  [{ agent: 'crush', id: 'a20c' }, ['crush', '--session', 'a20c']],
  [{ agent: 'kimi', id: 'session_5f3c' }, ['kimi', '--session', 'session_5f3c']],
  [{ agent: 'kilo-cli', id: 'ses_1' }, ['kilo', '--session', 'ses_1']],
  [{ agent: 'goose', id: '20260102_1' }, ['goose', 'session', '--resume', '--session-id', '20260102_1']],
  [{ agent: 'claude', id: 'agent-a9df09b50d5f3ad98' }, undefined],
])('%j is resumed by %j', async (session, command) => expect(await resumeCommand(session)).toEqual(command));
