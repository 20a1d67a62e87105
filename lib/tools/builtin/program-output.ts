// The result of a program for the model: its output, then its exit.
import { isText } from '../kind-of-bytes.ts';
import type { ProgramCall, ProgramOutcome } from '../program.ts';
import type { ToolMeans, ToolOutput } from '../tool.ts';

/** Runs a program with its output shown as it comes. @throws ToolFailure if it cannot be started */
export async function runShown(call: ProgramCall, means: ToolMeans): Promise<ToolOutput> {
  const decoder = new TextDecoder();
  const onOutput = (chunk: Uint8Array) => {
    const text = decoder.decode(chunk, { stream: true });
    if (text !== '') means.onProgress(text);
  };
  return programOutput(await means.runProgram({ ...call, onOutput }, { signal: means.signal }), call);
}

function programOutput(outcome: ProgramOutcome, call: Pick<ProgramCall, 'timeoutMs'>): ToolOutput {
  const { status, exitCode, output, omittedBytes } = outcome;
  const isOk = status === 'exited' && exitCode === 0;
  const ending = isOk ? undefined : endingOf(outcome, call);
  return {
    content: withEnding(output, ending),
    status: isOk ? 'ok' : status === 'timeout' ? 'timeout' : 'error',
    ...(omittedBytes > 0 ? { omittedBytes } : {}),
  };
}

function endingOf(
  { status, exitCode, killedBy }: ProgramOutcome,
  { timeoutMs }: Pick<ProgramCall, 'timeoutMs'>,
): string | undefined {
  switch (status) {
    case 'timeout':
      return `[Ended after ${timeoutMs === undefined ? 'its time' : `${timeoutMs / 1000} s`}, with all that it started.]`;
    case 'cancelled':
      // By the user or by a time limit: the turn says which.
      return undefined;
    case 'too-much-output':
      return '[Ended, because it printed more than is allowed. Print less: use options, head, or a file.]';
    case 'exited':
      return killedBy === undefined ? `[Exit code ${exitCode}.]` : `[Ended by ${killedBy}.]`;
  }
}

function withEnding(output: Uint8Array, ending: string | undefined): string | Uint8Array {
  if (output.length === 0) return ending === undefined ? '(It printed nothing.)' : `(It printed nothing.)\n${ending}`;
  if (ending === undefined || !isText(output)) return output;
  const separator = output.at(-1) === 0x0a ? '' : '\n';
  return Buffer.concat([output, Buffer.from(separator + ending)]);
}
