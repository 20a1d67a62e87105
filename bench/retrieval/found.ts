// Questions that were found rather than written: the prompts of people to other agents, and the files that the agent
// then read and changed. Made of transcripts on this machine; none of them is a part of the project. A file has the
// content that the agents saw.
import { existsSync, readdirSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ForeignEvent } from '../../lib/agents/agent.ts';
import { openForeign } from '../../lib/agents/open-foreign.ts';
import { type AgentName, isAgentName, loadAgent } from '../../lib/agents/registry.ts';
import { nodeFileSystem } from '../../lib/platform/index.ts';

export const TRANSCRIPTS = fileURLToPath(new URL('../../../shared/data/agents/', import.meta.url));

export interface FoundQuestion {
  readonly question: string;
  /** Paths of the right files. */
  readonly files: readonly string[];
}

export interface FoundSet {
  readonly questions: readonly FoundQuestion[];
  /** Texts by path. */
  readonly files: ReadonlyMap<string, string>;
}

const NUMBERED = /^\s*(\d+)(?:→|\t|\| )(.*)$/;
const READS = /read|view|cat/i;
const CHANGES = /edit|write|replace|patch|create/i;
const MAX_QUESTION_CHARACTERS = 2_000;
const LEAST_WORDS = 4;

/** Undefined where there are no transcripts. */
export async function foundSet(directory = TRANSCRIPTS): Promise<FoundSet | undefined> {
  if (!existsSync(directory)) return undefined;
  const lines = new Map<string, Map<number, string>>();
  const questions: FoundQuestion[] = [];
  for (const path of readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort()) {
    const agent = path.split('/')[0]!;
    if (!isAgentName(agent) || !/\.jsonl?$/.test(path)) continue;
    // Sessions of one project see the same files, wherever it was.
    const project = relative(directory, join(directory, path)).split('/').slice(0, 2).join('/');
    for (const turn of await turnsOf(agent, join(directory, path))) {
      const read = new Set<string>();
      const changed = new Set<string>();
      for (const { name, file, output } of turn.calls) {
        const key = `${project}/${file.replaceAll('\\', '/')}`.replaceAll('//', '/');
        if (CHANGES.test(name)) changed.add(key);
        else if (READS.test(name) && output !== undefined && takeLines(lines, key, output)) read.add(key);
      }
      const files = [...changed].filter((file) => read.has(file) || lines.has(file));
      const isQuestion = turn.question.split(/\s+/).length >= LEAST_WORDS;
      const isNew = !questions.some(({ question }) => question === turn.question);
      if (files.length > 0 && isNew && isQuestion && turn.question.length <= MAX_QUESTION_CHARACTERS) {
        questions.push({ question: turn.question, files });
      }
    }
  }
  const files = new Map(
    [...lines].map(([path, some]) => [
      path,
      [...some]
        .sort(([a], [b]) => a - b)
        .map(([, text]) => text)
        .join('\n'),
    ]),
  );
  return { questions, files };
}

interface FoundTurn {
  readonly question: string;
  readonly calls: { readonly name: string; readonly file: string; output?: string }[];
}

async function turnsOf(name: AgentName, path: string): Promise<FoundTurn[]> {
  const agent = await loadAgent(name);
  const source = { agent: name, id: basename(path).replace(/\.jsonl?$/, ''), path };
  const turns: FoundTurn[] = [];
  const open = new Map<unknown, FoundTurn['calls'][number]>();
  let reader: ReturnType<typeof openForeign> | undefined;
  try {
    reader = openForeign(agent, source, { fileSystem: nodeFileSystem, uid: undefined });
    for await (const batch of reader.outcomes()) {
      for (const outcome of batch) {
        if (outcome.kind === 'damage') continue;
        const { type, data } = outcome.event as unknown as ForeignEvent;
        if (type === 'message.added' && data.role === 'user' && !data.synthetic) {
          const parts = data.parts as readonly { readonly text?: string }[];
          turns.push({
            question: parts
              .map(({ text = '' }) => text)
              .join('\n')
              .trim(),
            calls: [],
          });
        }
        if (type === 'tool.requested') {
          const args = data.args as Readonly<Record<string, unknown>> | undefined;
          const file = args?.file_path ?? args?.absolute_path ?? args?.filePath ?? args?.path;
          if (typeof file !== 'string') continue;
          const call = { name: String(data.name), file };
          turns.at(-1)?.calls.push(call);
          open.set(data.callId, call);
        }
        if (type === 'tool.finished') {
          const call = open.get(data.callId);
          if (call !== undefined && data.status === 'ok') {
            call.output = String((data.result as { llmContent?: unknown }).llmContent ?? '');
          }
          open.delete(data.callId);
        }
      }
    }
  } catch {
    // What cannot be read gives no questions.
  } finally {
    reader?.close();
  }
  return turns;
}

function takeLines(all: Map<string, Map<number, string>>, path: string, output: string): boolean {
  const lines = output.split('\n');
  const numbered = lines.map((line) => NUMBERED.exec(line)).filter((match) => match !== null);
  const known = all.get(path) ?? new Map<number, string>();
  if (numbered.length > lines.length / 2) for (const [, at, text] of numbered) known.set(Number(at), text!);
  else if (lines.length > 3) for (const [index, text] of lines.entries()) known.set(index + 1, text);
  if (known.size > 3) all.set(path, known);
  return known.size > 3;
}
