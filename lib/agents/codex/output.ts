// What a call brought back, as Codex writes it: for the model, in words. The exit code and the time are in its first
// lines, or, in 2025, in a JSON object around it.
import { countIn, objectIn, parseObject, textIn } from '../members.ts';

interface CallAnswer {
  readonly content: string;
  readonly isError: boolean;
  readonly durationMs: number | undefined;
}

/** Lines before the output of a command. */
const EXIT_CODE = /^(?:Process exited with code|Exit code:) (-?\d+)$/m;
const WALL_TIME = /^Wall time:? (\d+(?:\.\d+)?) seconds$/m;
const OUTPUT = /^Output:$/m;
const FAILED =
  /^(?:Wall time:? [\d.]+ seconds\n)?(?:Script failed|apply_patch verification failed|aborted by user|failed to parse|exec_command failed)/;
/** The heading is searched for in this many characters. */
const HEADING_CHARACTERS = 1000;

export function answerToCall(text: string): CallAnswer {
  const wrapped = text.startsWith('{') ? parseObject(text) : undefined;
  const metadata = objectIn(wrapped?.metadata);
  const content = textIn(wrapped?.output);
  if (metadata !== undefined && content !== undefined) {
    const seconds = metadata.duration_seconds;
    const isError = typeof metadata.exit_code === 'number' && metadata.exit_code !== 0;
    return { content, isError, durationMs: typeof seconds === 'number' ? milliseconds(seconds) : undefined };
  }
  const start = text.slice(0, HEADING_CHARACTERS);
  const heading = start.slice(0, OUTPUT.exec(start)?.index ?? 0);
  const exitCode = EXIT_CODE.exec(heading)?.[1];
  const seconds = WALL_TIME.exec(heading)?.[1];
  return {
    content: text,
    isError: (exitCode !== undefined && exitCode !== '0') || FAILED.test(text),
    durationMs: seconds === undefined ? undefined : milliseconds(Number(seconds)),
  };
}

function milliseconds(seconds: number): number | undefined {
  return countIn(Math.round(seconds * 1000));
}
