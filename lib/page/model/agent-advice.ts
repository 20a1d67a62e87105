// The next step after a run of another agent failed, by the code of its error.
const ADVICE: Readonly<Record<string, string>> = {
  AGENT_NOT_INSTALLED: '“ollm agents --json” has the command that installs it.',
  AGENT_TOO_OLD: '“ollm agents --json” has the command that installs a newer one.',
  AGENT_NOT_SIGNED_IN: 'Start its program in a terminal and sign in, then send the message again.',
  AGENT_START_FAILED: '“ollm agents” says which program is started; try that one in a terminal.',
  AGENT_FAILED: 'Send it again, or go on with ollm in a journal of your own.',
  AGENT_SILENT: 'Send it again. runs.silentSeconds sets how long it may be silent.',
  AGENT_BROKEN_STREAM:
    'Send it again, or go on with ollm in a journal of your own. A newer version of the agent may help.',
};

/** Empty where there is none. */
export function agentAdvice(code: string): string {
  return ADVICE[code] ?? '';
}
