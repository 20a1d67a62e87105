// A project on the real disk with the built-in tools over it: arguments are checked, the plan is made, and it runs with
// real programs, as the turn does it.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { discover } from '../../../lib/discovery/index.ts';
import { type FileSystem, nodeFileSystem, systemClock, systemIds } from '../../../lib/platform/index.ts';
import { checkArguments } from '../../../lib/tools/arguments.ts';
import { type BuiltinToolPorts, createBuiltinTools } from '../../../lib/tools/builtin/index.ts';
import type { RunProgram } from '../../../lib/tools/program.ts';
import { createRunProgram } from '../../../lib/tools/run-program.ts';
import { ToolFailure, type ToolOutput, type ToolPlan } from '../../../lib/tools/tool.ts';

export interface Scene extends Disposable {
  /** The project. */
  readonly root: string;
  /** A directory alongside it. */
  readonly outside: string;
  /** Absolute, in the project. */
  at(path: string): string;
  write(files: Readonly<Record<string, string | Uint8Array>>): void;
  plan(tool: string, args: object): Promise<ToolPlan>;
  run(plan: ToolPlan, signal?: AbortSignal): Promise<ToolOutput>;
  /** Plans, runs, and returns the result as text. */
  call(tool: string, args: object): Promise<string>;
  /** The words of the failure. */
  failure(tool: string, args: object): Promise<string>;
  /** The output shown during the run. */
  readonly progress: readonly string[];
}

export interface SceneOptions extends Partial<BuiltinToolPorts> {
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly runProgram?: RunProgram;
}

export function createScene({ files = {}, runProgram, ...ports }: SceneOptions = {}): Scene {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'ollm-tools-')));
  const [root, outside] = [join(base, 'project'), join(base, 'outside')];
  for (const directory of [root, outside]) mkdirSync(directory);
  const tools = createBuiltinTools({
    fileSystem: nodeFileSystem,
    ids: systemIds,
    discovery: async () => discover,
    maxOutputTokens: 8192,
    timeoutMs: 20_000,
    maxOutputBytes: 1024 * 1024,
    ...ports,
  });
  const place = { root, cwd: root };
  const progress: string[] = [];
  const runPrograms =
    runProgram ??
    createRunProgram({
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: outside, GIT_CONFIG_NOSYSTEM: '1' },
      scope: { writable: [root], protected: [], hidden: [], network: false },
      limits: { timeoutMs: 20_000, maxOutputBytes: 1024 * 1024 },
      clock: systemClock,
      ids: systemIds,
    });

  const scene: Scene = {
    root,
    outside,
    progress,
    at: (path) => join(root, path),
    write(more) {
      for (const [path, content] of Object.entries(more)) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), content);
      }
    },
    async plan(name, args) {
      const tool = tools.find((candidate) => candidate.name === name);
      if (!tool) throw new Error(`no tool ${name}`);
      const checked = await checkArguments(tool, args);
      if (!checked.ok) throw new ToolFailure(checked.message);
      return tool.plan(checked.args, place);
    },
    run: (plan, signal = new AbortController().signal) =>
      plan.run({ signal, runProgram: runPrograms, onProgress: (text) => progress.push(text) }),
    async call(name, args) {
      const { content } = await scene.run(await scene.plan(name, args));
      return typeof content === 'string' ? content : Buffer.from(content).toString();
    },
    async failure(name, args) {
      try {
        await scene.call(name, args);
      } catch (error) {
        if (!(error instanceof ToolFailure)) throw error;
        return error.message;
      }
      throw new Error('it did not fail');
    },
    [Symbol.dispose]: () => rmSync(base, { recursive: true, force: true }),
  };
  scene.write(files);
  return scene;
}

/** The real disk, on which something happens right before or after a call of it. */
export function interrupted<Name extends keyof FileSystem>(
  name: Name,
  act: (when: 'before' | 'after') => void,
): FileSystem {
  const call = nodeFileSystem[name] as (...args: unknown[]) => unknown;
  return {
    ...nodeFileSystem,
    [name]: (...args: unknown[]) => {
      act('before');
      const result = call(...args);
      act('after');
      return result;
    },
  };
}
