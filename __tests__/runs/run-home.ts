// A home of ollm with a trusted project, and a program in the place of Qwen Code that does one thing that it should
// not.
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHome, type Home, parseLines } from '../support/cli.ts';

const STRANGE = join(import.meta.dirname, 'acp', 'strange-agent.ts');
const STRANGE_CLAUDE = join(import.meta.dirname, 'cli', 'strange-claude.ts');
const WRITING = join(import.meta.dirname, 'acp', 'writing-agent.ts');

export interface Stored {
  readonly seq: number;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface RunHome extends Disposable {
  readonly home: Home;
  /** Tools and agents write nothing in the home of ollm. */
  readonly project: string;
  trust(directories: readonly string[], more?: object): void;
  /** A PATH that begins with it. `name`: of the program. Default: that of Qwen Code. */
  agentThat(fault: string, name?: string): string;
  /** A PATH that begins with a program that writes its sessions. */
  agentThatWrites(): string;
  journals(): readonly string[];
  /** The events of the only journal. */
  events(): readonly Stored[];
}

export function createRunHome(): RunHome {
  const home = createHome();
  const project = realpathSync(mkdtempSync(join(tmpdir(), 'ollm-run-')));
  mkdirSync(join(project, '.git'));
  mkdirSync(join(home.path, 'bin'));
  const install = (name: string, words: string) => {
    const program = join(home.path, 'bin', name);
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' --no-warnings ${words}\n`);
    chmodSync(program, 0o755);
    return `${join(home.path, 'bin')}:${process.env.PATH}`;
  };
  const made: RunHome = {
    home,
    project,
    trust(directories, more = {}) {
      writeFileSync(join(home.path, 'config.yaml'), JSON.stringify({ trustedDirectories: directories, ...more }));
    },
    agentThat: (fault, name = 'qwen') => install(name, `'${name === 'claude' ? STRANGE_CLAUDE : STRANGE}' ${fault}`),
    agentThatWrites: () => install('qwen', `'${WRITING}'`),
    journals() {
      try {
        return readdirSync(home.sessions).filter((name) => name.endsWith('.jsonl'));
      } catch {
        return [];
      }
    },
    events() {
      const [name] = made.journals();
      if (name === undefined) return [];
      return parseLines(readFileSync(join(home.sessions, name), 'utf8')) as unknown as readonly Stored[];
    },
    [Symbol.dispose]() {
      rmSync(project, { recursive: true });
      home[Symbol.dispose]();
    },
  };
  made.trust([project]);
  return made;
}
