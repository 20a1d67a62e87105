// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are lines for a shell
// Lines for a shell under a policy that allows only echo, git status and ls: what a line is made of decides, not how it
// looks.
import { onLine } from './policy-of.ts';

const ONLY = { allow: ['bash(echo *)', 'bash(git status)', 'bash(ls *)'] };

describe('a policy that allows only echo, git status and ls', () => {
  it.each([
    'echo hello',
    'ls',
    'ls -la lib',
    'git status',
    'git  status',
    'git\tstatus',
    '"git" status',
    "'git' 'status'",
    'g"i"t st\\atus',
    "g$'\\x69't status",
    'git \\\n status',
    'echo a && ls; git status',
    'echo a | ls',
    '(echo a; ls)',
    '{ echo a; ls; }',
    'if git status; then ls; else echo no; fi',
    'for f in a b; do echo "$f"; done',
    'while ls; do echo x; done',
    'case x in a) ls;; *) echo;; esac',
    'echo $(ls)',
    'echo "`ls`"',
    'ls <(echo a)',
    'echo ${x:-$(ls)}',
    'echo $HOME *.ts {a,b}',
    'echo a 2>&1 >/dev/null',
    'ls &',
    'time ls',
    '! ls',
    'ls # ; curl e',
    'timeout 5 ls',
    'timeout -s KILL 5s ls -l',
    'nohup ls',
    'nice -n 5 ls',
    'env ls',
    'command ls',
    'bash -c "ls -l; echo a"',
    "sh -c 'ls'",
    'eval "ls -l"',
    'echo a | xargs ls',
    'echo a | xargs -n 1 -I{} echo {}',
    'true && ls',
    'cd lib && ls',
  ])('allows %j', async (line) => {
    expect(await onLine(line, ONLY)).toMatchObject({ kind: 'allow' });
  });

  it.each([
    // A second program, in every place where one can stand.
    'echo x; curl e',
    'echo x\ncurl e',
    'echo x & curl e',
    'echo x && curl e',
    'echo x || curl e',
    'echo x | curl e',
    'echo x |& curl e',
    'echo `curl e`',
    'echo $(curl e)',
    'echo "$(curl e)"',
    'echo "a`curl e`b"',
    'echo ${x:-$(curl e)}',
    'echo ${x/$(curl e)/b}',
    'echo $((1 + $(curl e)))',
    'echo a{b,$(curl e)}',
    'echo <(curl e)',
    'ls >(curl e)',
    'echo <<E\n$(curl e)\nE',
    'echo <<< "$(curl e)"',
    'echo x > "$(curl e)"',
    '(curl e)',
    '{ curl e; }',
    'if curl e; then ls; fi',
    'if ls; then curl e; fi',
    'if ls; then ls; elif curl e; then ls; fi',
    'while curl e; do ls; done',
    'until ls; do curl e; done',
    'for x in $(curl e); do ls; done',
    'for x in a; do curl e; done',
    'select x in $(curl e); do ls; done',
    'case $(curl e) in *) ls;; esac',
    'case x in $(curl e)) ls;; esac',
    'case x in x) curl e;; esac',
    '[[ -f $(curl e) ]] && ls',
    'time curl e',
    '! curl e',
    'coproc curl e',
    'x=$(curl e) ls',
    'a[$(curl e)]=1',
    // Programs that start programs.
    'env curl e',
    'env -i curl e',
    'env -u X curl e',
    'nohup curl e',
    'timeout 5 curl e',
    'timeout -k 1 5 curl e',
    'nice curl e',
    'nice -5 curl e',
    'stdbuf -oL curl e',
    'command curl e',
    'builtin curl e',
    'exec curl e',
    'echo a | xargs curl',
    'echo a | xargs -n1 curl',
    'echo a | xargs -I {} curl {}',
    'xargs -a list curl',
    'bash -c "curl e"',
    "bash -c 'echo a; curl e'",
    'bash -c "bash -c \'curl e\'"',
    'sh -c curl',
    'bash -xc "curl e"',
    'eval curl e',
    "eval 'echo a; curl e'",
    "trap 'curl e' EXIT",
    'sudo ls',
    'sudo -u root ls',
    'doas ls',
    'busybox ls',
    'time -p curl e',
    '\\time curl e',
    'find . -exec curl {} \\;',
    'find . -exec ls {} +',
    'find . -newer x',
    'env time nice timeout 5 curl e',
    // Different programs with the same name, and the same program changed.
    './git status',
    '/tmp/git status',
    '../git status',
    '~/bin/ls',
    'PATH=. git status',
    'PATH=.; git status',
    'export PATH=.; git status',
    'read PATH < f; git status',
    'printf -v PATH .; git status',
    ': ${PATH:=.}; git status',
    'for PATH in .; do git status; done',
    'alias ls="curl e"\nls',
    'hash -p ./x ls; ls',
    'enable -n echo; echo x',
    'source x; ls',
    '. x; ls',
    'env PATH=. ls',
    'env -S "ls"',
    'LD_PRELOAD=x ls',
    'GIT_DIR=x git status',
    'VAR=x cmd',
    'VAR=x ls',
    'shopt -s expand_aliases; ls',
    'set -- x; ls',
    'declare -x PATH=.; ls',
    // A permitted program with more than the rule allows.
    'git -c core.pager="sh -c id" log',
    "git -c core.pager='sh -c id' status",
    'git -C / status',
    'git status --porcelain=v2 > x',
    'git push',
    'git',
    'LS',
    'lsx',
    // Files that the shell opens.
    'echo x > a.ts',
    'echo x >> a.ts',
    'echo x >| a.ts',
    'echo x &> a.ts',
    'echo x >& a.ts',
    'echo x <> a.ts',
    'echo x > $F',
    'echo x > *.ts',
    '> a.ts',
    // Arithmetic runs the content of its texts.
    "[[ 'a[$(id)]' -eq 0 ]]; ls",
    'x=1; echo $((x))',
    'for x in "a[\\$(id)]"; do echo $((x)); done',
    'echo ${!x}',
    'echo ${x@P}',
    'echo ${a[x]}',
    'let "a[$(id)]"; ls',
    // Nothing that is a command.
    'X=1',
    '(( 1 ))',
  ])('does not let %j run unasked', async (line) => {
    expect((await onLine(line, ONLY)).kind).not.toBe('allow');
  });

  it.each([
    `for x in 'a[$(id)]'; do test -v "$x"; done`,
    `for x in 'a[$(id)]'; do [ -v $x ]; done`,
    `read x <<< 'a[$(id)]'; [ ! -v "$x" ]`,
    "wait -p 'a[$(id)]'",
    'for x in a; do wait -p $x; done',
  ])('does not let %j run unasked, even if its programs are allowed', async (line) => {
    const allow = ['bash(test *)', 'bash([ *)', 'bash(read *)', 'bash(wait *)'];
    expect((await onLine(line, { allow })).kind).toBe('ask');
  });

  it.each(['[ -v x ]', 'for x in a; do [ -f "$x" ]; done', 'wait $p'])(
    'lets %j run if its programs are allowed',
    async (line) => {
      expect((await onLine(line, { allow: ['bash([ *)', 'bash(wait *)'] })).kind).toBe('allow');
    },
  );

  it.each([
    "compgen -C 'curl x'",
    "compgen -C'curl x' y",
    "complete -C 'curl x' y",
    "mapfile -C 'curl x' -c 1 a < b",
    "readarray -tC 'curl x' a < b",
    'jobs -x curl x',
    'jobs -lx curl x',
    'jobs -r -x curl x',
    'jobs -x -r curl x',
    'jobs -x -- curl x',
    "compgen -W '$(curl x)'",
    'compgen -W "\\`curl x\\`"',
    'compgen $OPTIONS',
    'compgen -F callback',
  ])('denies %j if curl is denied, although all of bash is allowed', async (line) => {
    expect((await onLine(line, { allow: ['bash'], deny: ['bash(curl *)'] })).kind).toBe('deny');
  });

  it.each(['compgen -W "a b" a', 'compgen -c', 'jobs', 'jobs -l', 'mapfile -t a < b', 'ls | xargs -0t echo'])(
    'lets %j run there',
    async (line) => {
      expect((await onLine(line, { allow: ['bash', 'file_read'], deny: ['bash(curl *)'] })).kind).not.toBe('deny');
    },
  );

  it.each([
    ['sixty times true', `${'true && '.repeat(60)}true`],
    ['an open quotation', 'echo "x'],
    ['an open single quotation', "echo 'x"],
    ['an open substitution', 'echo $(ls'],
    ['an open brace', '{ ls'],
    ['an end without a beginning', 'ls; }'],
    ['nothing behind &&', 'ls &&'],
    ['a pipe from nowhere', '| ls'],
    ['NUL', 'echo a\0b'],
    ['a carriage return', 'echo a\rcurl e'],
    ['an escape sequence', 'echo \x1b[2Jls'],
    ['a mark that reorders text', 'echo \u202e ls'],
    ['a zero-width space', 'l\u200bs'],
    ['nothing', ''],
    ['only white space', ' \n '],
    ['a program out of a variable', '$X'],
    ['a program out of a substitution', '$(echo ls)'],
    ['a program out of backticks', '`echo ls` -l'],
    ['a program with a variable in it', 'l${X}s'],
    ['a pattern as a program', '/bin/l?'],
    ['a brace as a program', '{ls,-l}'],
    ['a variable behind a wrapper', 'timeout 5 $X'],
    ['a variable before the program of a wrapper', 'env $X ls'],
    ['a variable in a shell line', 'bash -c "$X"'],
    ['a variable that is evaluated', 'eval "$X"'],
    ['a shell line out of input', "echo a | xargs -I{} sh -c 'echo {}'"],
    ['a shell line that xargs adds', 'echo ls | xargs bash -c'],
    ['an option of a wrapper that is not known', 'env --weird ls'],
    ['a wrapper that is not followed', 'parallel ls'],
    ['a loader', '/lib64/ld-linux-x86-64.so.2 /bin/ls'],
    ['a function', 'ls() { curl e; }; ls'],
    ['a function by keyword', 'function ls { curl e; }; ls'],
    ['a fork bomb', ':(){ :|:& };:'],
    ['-exec without an end', 'find . -exec ls {}'],
    ['lines inside of lines without end', 'eval eval eval eval eval eval eval eval eval ls'],
    ['more than a user reads', `echo ${'a '.repeat(20_000)}`],
    ['substitutions without end', '$('.repeat(2000)],
    ['functions without end', 'f()'.repeat(5000)],
    ['parentheses without end', '('.repeat(5000)],
    ['backticks', '`'.repeat(2001)],
    ['here-documents without end', '<<a '.repeat(3000)],
  ])('refuses %s without asking', async (_name, line) => {
    expect(await onLine(line, ONLY)).toMatchObject({ kind: 'deny', rule: 'default:unclear' });
  });

  it.each([
    ['a shell start-up file', 'echo x > ~/.bashrc', 'default:protected'],
    ['the same program by its path', 'echo x >> /home/me/.bashrc', 'default:protected'],
    ['git itself', 'echo x > .git/hooks/pre-commit', 'default:protected'],
    ['git after a way there', 'cd .git && echo x > config', 'default:protected'],
    ['the configuration of the project', 'echo x > .ollm/config.yaml', 'default:hidden'],
    ['a file outside', 'echo x > /etc/motd', 'default:outside'],
    ['a file outside by a way up', 'echo x > ../x', 'default:outside'],
    ['a file outside after cd', 'cd lib && echo x > ../../x', 'default:outside'],
    ['the network', 'echo x > /dev/tcp/127.0.0.1/80', 'default:outside'],
    ['a key', 'ls ~/.ssh/id_ed25519', 'default:hidden'],
    ['a key by redirection', 'echo < ~/.ssh/id_ed25519', 'default:hidden'],
    ['a key behind =', 'ls --file=.env', 'default:hidden'],
    ['a key after cd', 'cd lib; ls ../.env', 'default:hidden'],
    ['a key of a different commit', 'git show HEAD:.env', 'default:hidden'],
    ["ollm's own home", 'ls /home/me/.ollm/config.yaml', 'default:hidden'],
  ])('refuses to touch %s', async (_name, line, rule) => {
    expect(await onLine(line, ONLY)).toMatchObject({ kind: 'deny', rule: expect.stringContaining(rule) });
  });
});

describe('a policy without rules', () => {
  it.each([
    'git status',
    'git --no-pager log --oneline -5',
    'git log main..HEAD -- lib',
    'git diff HEAD~1',
    'git show HEAD:lib/index.ts',
    'git blame lib/index.ts',
    'git branch -a',
    'git branch --show-current',
    'git stash list',
    'git rev-parse HEAD',
    'git log | true',
  ])('allows reading with git: %j', async (line) => {
    expect(await onLine(line)).toMatchObject({ kind: 'allow' });
  });

  it.each([
    'git commit -m x',
    'git branch new',
    'git branch -d old',
    'git tag v1',
    'git stash',
    'git config user.name x',
    'git remote add x y',
    'git log --output=x',
    'git log --outp=x',
    'git diff --no-index /etc/passwd x',
    'git diff /etc/passwd /dev/null',
    'git diff ../../x',
    'git diff --ext-diff',
    'git show --textconv',
    'git grep -O x',
    'git grep --open-files-in-pager=sh x',
    'git grep -nOsh x',
    'git grep -LOsh x',
    'git grep -n5Osh x',
    'git log -n3 --output=x',
    'git -c core.fsmonitor=x status',
    'git --exec-path=. status',
    'git --git-dir=x status',
    'git -p log',
    'git log $X',
    'git status *',
    'GIT_EXTERNAL_DIFF=x git diff',
    'git reflog expire --all',
    'git submodule foreach x',
    'git alias-of-mine',
    'git cat-file --textconv HEAD:x',
    'git log | xargs git status',
    'cd lib && git status',
    'git status --help',
    'cd / && git status',
    'cd $X && git status',
    'npm test',
    'make',
    'awk 1 README.md',
  ])('asks about %j', async (line) => {
    expect(await onLine(line)).toMatchObject({ kind: 'ask' });
  });

  it('offers a grant of exactly the command', async () => {
    expect(await onLine("npm   run 'my script'")).toMatchObject({ grant: "bash(npm run 'my script')" });
  });

  it.each([
    ['a long program', `$${'X'.repeat(30_000)}`],
    ['a long argument', `npm ${'x'.repeat(30_000)}`],
    ['a long file', `npm > $${'x'.repeat(30_000)}`],
    ['a long name of a key', `cat ${'x/'.repeat(1500)}.env`],
  ])(
    'describes %s in a reason of bounded length, and offers no grant that a user could not read',
    async (_what, line) => {
      const decision = await onLine(line);
      if (decision.kind === 'allow') throw new Error('it is allowed');
      expect(decision.reason.length).toBeLessThan(1200);
      expect(decision).not.toHaveProperty('grant');
    },
  );

  it.each(['npm test; npm run $X', 'npm test $X', 'X=1 npm test', 'echo a | xargs rm', 'ls ~', 'npm test > $F'])(
    'offers no grant for %j, which no grant can cover',
    async (line) => {
      const decision = await onLine(line);
      expect(decision.kind).toBe('ask');
      expect(decision).not.toHaveProperty('grant');
    },
  );
});
