// A shell reads a line as the policy does: lines of random pieces that the policy allows are run by a real bash, in
// which every program is a stand-in that reports its name. Only allowed programs may ever start.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are lines for a shell
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { policyOf, shell } from './policy-of.ts';

const ALLOWED = ['ls', 'git'];
const STRANGERS = ['curl', 'id', 'sh', 'e'];
const PIECES = [
  ...['ls', 'git status', 'echo a', 'echo', 'curl e', 'id', 'curl', 'e', 'a', 'true', ':', '-l'],
  ...[' ', ' ', ' ', '\n', '\t', ';', ' && ', ' || ', ' | ', ' |& ', ' & ', '\\\n', ' # ', ' ! '],
  ...['$(', ')', '`', '<(', '(', ' { ', '; }', '((', '))', '$((', ' [[ ', ' ]] ', '${x:-', '}', '${x:=', '{a,', '}'],
  ...["'", '"', "$'", '$"', '\\', '\\x63', '"$x"', '$x', '*', '?', '[', ']', '~', '='],
  ...['if ', '; then ', '; fi', 'for x in ', '; do ', '; done', 'case a in a) ', ' ;; esac', 'time ', 'coproc '],
  ...[
    ' <<E\n',
    '\nE\n',
    " <<'E'\n",
    ' <<<',
    ' 2>&1',
    ' >/dev/null',
    ' <&0',
    'x=',
    'eval ',
    'env ',
    'command ',
    'nohup ',
  ],
  ...['bash -c ', "bash -c 'curl'", 'xargs ', 'timeout 1 ', 'printf -v x %s a', 'read x', 'x+=(', 'a[1]=', '$[', '1+1'],
];

/** Lines that are allowed until something is put into them. */
const LINES = [
  'ls -l; git status && echo "curl e"',
  "echo 'curl e; id' | ls",
  'echo "a $(ls) b" `git status`',
  'for x in curl e; do echo "$x"; done',
  'if git status; then ls; else echo id; fi',
  'case curl in e) ls;; *) echo e;; esac',
  'echo <<E\ncurl e\n$(ls)\nE\nls',
  "echo <<'E'\n$(curl e)\nE\nls",
  'echo ${x:-$(ls)} \\; curl',
  "bash -c 'ls; echo curl'",
  "eval 'ls # curl'",
  'echo a # ; curl e\nls',
  '(ls) | { git status; echo curl; }',
  'echo $(( 1 + 1 )) "\\"; echo curl',
  "echo $'a\\'curl' ; ls",
  '[[ curl == e ]] && ls',
  'env ls | xargs ls curl',
  'echo {curl,e} ~ * ?(a)',
  'time ls; ! git status || echo id',
  'ls <(echo curl) 2>&1 >/dev/null',
];

const bash = spawnSync('bash', ['--version']).status === 0;
if (!bash) console.info('skipped: there is no bash to compare with');

let directory: string;
beforeAll(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'ollm-shell-')));
  mkdirSync(join(directory, 'bin'));
  mkdirSync(join(directory, 'work'));
  for (const name of [...ALLOWED, ...STRANGERS]) put(name, `echo ${name} >> '${join(directory, 'started')}'`);
  // A program that the policy takes for a wrapper is one here.
  put('bash', `exec /bin/bash "$@"`);
  put('env', 'exec "$@"');
  put('nohup', 'exec "$@"');
  put('timeout', 'shift; exec "$@"');
  put('xargs', 'exec "$@"');
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function put(name: string, line: string): void {
  writeFileSync(join(directory, 'bin', name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
}

/** The names of the programs that bash starts for it before it is ended. */
function startedBy(line: string, limitMs: number): string[] {
  writeFileSync(join(directory, 'started'), '');
  spawnSync('/bin/bash', ['--noprofile', '--norc', '-c', line], {
    cwd: join(directory, 'work'),
    env: { PATH: join(directory, 'bin'), HOME: join(directory, 'work') },
    stdio: ['ignore', 'ignore', 'ignore'],
    timeout: limitMs,
    killSignal: 'SIGKILL',
  });
  return readFileSync(join(directory, 'started'), 'utf8').split('\n').filter(Boolean);
}

(bash ? describe : describe.skip)('a real bash', () => {
  it('starts the stand-ins, which report their names', () => {
    expect(startedBy('ls; git status; curl e', 20_000)).toEqual(['ls', 'git', 'curl']);
  });

  it('starts only allowed programs for an allowed line', async () => {
    const { policy } = await policyOf({
      allow: ['bash(echo *)', 'bash(ls *)', 'bash(git status)', 'bash(read *)', 'bash(printf *)'],
    });
    const piece = fc.constantFrom(...PIECES);
    const stranger = fc.constantFrom(
      'curl',
      'curl e;',
      '; curl e',
      '$(curl e)',
      '`curl e`',
      '\ncurl e\n',
      '|curl e',
      '&& e #',
    );
    const anything = fc.array(piece, { minLength: 1, maxLength: 9 }).map((pieces) => pieces.join(''));
    const swapped = fc.tuple(fc.constantFrom(...LINES), fc.nat(3)).map(([text, nth]) => {
      let at = -1;
      return text.replace(/\b(?:ls|git status)\b/g, (name) => {
        at += 1;
        return at === nth ? 'curl e' : name;
      });
    });
    const spoiled = fc
      .tuple(
        fc.oneof(swapped, fc.constantFrom(...LINES)),
        fc.array(fc.tuple(fc.oneof(piece, stranger), fc.nat(40)), { maxLength: 3 }),
      )
      .map(([text, spoils]) => spoils.reduce((left, [more, at]) => left.slice(0, at) + more + left.slice(at), text));
    const line = fc.oneof(anything, { arbitrary: spoiled, weight: 3 });
    const runs = Number(process.env.OLLM_TEST_SHELL_LINES ?? 800);
    let allowed = 0;
    fc.assert(
      fc.property(line, (text) => {
        if (policy.decide(shell(text)).kind !== 'allow') return;
        allowed += 1;
        // Some of these wait forever.
        expect(startedBy(text, 2_000).filter((name) => !ALLOWED.includes(name))).toEqual([]);
      }),
      { numRuns: runs },
    );
    // The pieces do make lines that are allowed.
    expect(allowed).toBeGreaterThan(runs / 20);
  });
});
