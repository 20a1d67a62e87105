// Commands that only read run unasked, in a sandbox where nothing can be written; everything near them still asks.
import { GIT_PROGRAM_KEYS } from '../../../lib/environment/git-programs.ts';
import { riskInGitConfiguration } from '../../../lib/tools/git-configuration.ts';
import { onLine, policyOf, program, ROOT, shell } from './policy-of.ts';

/** Links of a hostile repository. */
const LINKS: Readonly<Record<string, string>> = {
  [`${ROOT}/out`]: '/etc',
  [`${ROOT}/passwd`]: '/etc/passwd',
  [`${ROOT}/src/up`]: '/',
  [`${ROOT}/innocent.txt`]: `${ROOT}/.env`,
  [`${ROOT}/home`]: '/home/me',
};

function realPath(path: string): string {
  for (const [link, target] of Object.entries(LINKS)) {
    if (path === link) return target;
    if (path.startsWith(`${link}/`)) return target === '/' ? path.slice(link.length) : target + path.slice(link.length);
  }
  return path;
}

async function decide(line: string, { gitRisk, isConfined = true }: { gitRisk?: string; isConfined?: boolean } = {}) {
  const { policy } = await policyOf({}, { realPath, gitRisk: () => gitRisk, isConfined });
  return policy.decide(shell(line));
}

const READING = [
  'ls',
  'ls -la src',
  "ls -la --color=never 'my files'",
  'cat README.md',
  'cat -n src/a.ts src/b.ts',
  'cat < README.md',
  'head -n 20 README.md',
  'head -20 README.md',
  'tail -c 100 log.txt',
  'wc -l src/a.ts',
  'grep -rn "hello world" src',
  'grep -rn foo --include=*.ts .',
  'grep -rn foo --include=*.{ts,tsx} --exclude-dir=node_modules .',
  'grep -e one -e two notes.md',
  'grep -A 3 -B3 --context=2 foo notes.md',
  'rg -n "TODO|FIXME" lib',
  'rg --files -g "*.ts"',
  'rg foo',
  "find . -name '*.ts' -type f",
  "find src -maxdepth 2 \\( -name a -o -name b \\) -not -path '*/x/*' -print",
  'pwd',
  'echo done',
  'printf "%s\\n" a b',
  'sort -u names.txt',
  'uniq -c names.txt',
  'cut -d , -f 1 data.csv',
  'du -sh src',
  "stat -c '%s' README.md",
  'basename src/a.ts .ts',
  'git status --short && ls',
  'git log --oneline -n 5 | head -3',
  "cat package.json | grep version | cut -d '\"' -f 4 | tr -d ,",
  'find . -type f | sort | uniq -c | sort -rn | head -n 5',
  'cd src && ls -l && cat a.ts',
  'ls; pwd; echo ok',
  'ls || true',
  'timeout 5 ls',
  'ls 2>/dev/null',
  'grep foo notes.md 2>&1 | head',
  "l's' -l",
  '(ls; cat a.txt)',
  'if ls src; then cat src/a.ts; fi',
];

/** Each of them must ask, or be denied. */
const HOSTILE = [
  // The result of a substitution, a variable, a pattern, an arithmetic.
  'ls $(touch x)',
  'ls `touch x`',
  'cat $(echo README.md)',
  'cat $FILE',
  'cat "$FILE"',
  'cat \x24{FILE:-x}',
  'ls $((1+1))',
  'cat <(touch x)',
  'cat <(ls; touch x)',
  'ls >(tee x)',
  'cat *.md',
  'cat src/*',
  'ls [a-z]*',
  'cat ?.txt',
  'cat {a,b}.txt/$X',
  'grep foo $FILES',
  'grep foo *.ts',
  'head -n $N README.md',
  'ls ~someone',
  'cat ~/notes.txt',
  'ls ~',
  'cat $HOME/x',
  'echo $(touch x)',
  'echo `touch x`',
  'printf "%s" "$(touch x)"',
  'ls -l$X',
  '$LS',
  'l$X s',
  'ls "$@"',
  'cat $0',
  "cat $'\\x2fetc/passwd'",
  // Writing commands.
  'ls > out.txt',
  'ls >> out.txt',
  'cat a > b',
  'echo x > a.txt',
  'echo x >| a.txt',
  'echo x &> a.txt',
  'printf x > a.txt',
  'cat a.txt 1> b.txt',
  'ls 3> x',
  'cat <> a.txt',
  'echo x > $F',
  'grep foo a.txt > out',
  'sort a.txt > a.txt',
  'find . > list',
  'git log > log.txt',
  'ls | tee out.txt',
  'cat a.txt | dd of=b.txt',
  'echo x >> .git/config',
  'echo x > .ollm/config.yaml',
  // Variables before it, other meanings of words.
  'PATH=. ls',
  'LD_PRELOAD=./x.so ls',
  'GIT_PAGER=./x git log',
  'GIT_EXTERNAL_DIFF=./x git diff',
  'RIPGREP_CONFIG_PATH=./x rg foo',
  'LESSOPEN="|./x" cat a',
  'IFS=/ cat a',
  'BASH_ENV=./x ls',
  'export PATH=.; ls',
  'env PATH=. ls',
  'env -i ls',
  'X=1; ls',
  'alias ls=rm; ls x',
  'shopt -s expand_aliases; ls',
  'ls() { rm x; }; ls',
  'function cat { rm x; }; cat a',
  'hash -p ./x ls; ls',
  'enable -f ./x.so ls; ls',
  'set -- x; ls',
  'source ./x; ls',
  '. ./x; ls',
  'eval "ls; touch x"',
  "bash -c 'ls; touch x'",
  'exec ls; x',
  'trap "touch x" EXIT; ls',
  'builtin eval x; ls',
  'command rm x; ls',
  'read PATH; ls',
  'printf -v PATH . ; ls',
  'declare -x PATH=.; ls',
  'unset PATH; ls',
  // A different program of the name.
  './ls',
  'src/ls',
  '/tmp/ls',
  '../ls',
  '/bin/ls',
  './cat README.md',
  'LS',
  'ls.sh',
  'CAT a.txt',
  // Files elsewhere, also through links.
  'cat /etc/passwd',
  'cat ../other/x',
  'ls ..',
  'ls /',
  'head -5 /etc/shadow',
  'tail ../../x',
  'wc -l /etc/hosts',
  'grep root /etc/passwd',
  'grep -r x /etc',
  'rg x /etc',
  'rg --files /etc',
  'find / -name x',
  'find .. -name x',
  'cat passwd',
  'cat out/passwd',
  'ls out',
  'ls out/',
  'cat src/up/etc/passwd',
  'cat src/up/../etc/passwd',
  'cat out/../passwd',
  'cat src/../../x',
  'grep x out/passwd',
  'grep -e x passwd',
  'grep -ie x passwd',
  'grep --regexp=x passwd',
  'grep x notes.md passwd',
  'rg -e x passwd',
  'find out -type f',
  'du -sh out',
  'stat passwd',
  'sort passwd',
  'cut -f 1 passwd',
  'uniq passwd',
  'cat < /etc/passwd',
  'cat < passwd',
  'cd .. && ls',
  'cd out && cat passwd',
  'cd src/up && ls',
  'cd $X && ls',
  'cd src; cd ../..; ls',
  'cat README.md /etc/passwd',
  'cat -- /etc/passwd',
  'ls -- ../x',
  'cat home/notes',
  'pushd ..; ls',
  'cat /proc/self/environ',
  'cat /proc/1/environ',
  'cat /dev/sda',
  'head -c 100 /dev/mem',
  // Keys.
  'cat .env',
  'cat config/.env',
  'cat src/../.env',
  'grep x .env',
  'head .env',
  'cat innocent.txt',
  'cat id_ed25519',
  'cat server.pem',
  'ls .ollm',
  'cat .ollm/config.yaml',
  'cat < .env',
  'cat ~/.ssh/id_ed25519',
  'find .ollm',
  'rg x .env',
  'sort .npmrc',
  'git show HEAD:.env',
  // Options that write, follow, start or name further files.
  'find . -delete',
  'find . -exec rm {} ;',
  'find . -exec rm {} \\;',
  'find . -execdir ./x {} +',
  'find . -ok rm {} \\;',
  'find . -fprint x',
  'find . -fprintf x %p',
  'find . -fls x',
  'find . -fprint0 x',
  'find -L . -name x',
  'find -H out',
  'find . -follow',
  'find . -newer /etc/passwd',
  'find . -samefile /etc/passwd',
  'find -files0-from list',
  'find . -name x -o -delete',
  'find . -anewer x',
  'find -O3 -L .',
  'find . -unknown',
  'grep -f patterns x',
  'grep --file=p x',
  'grep -R x .',
  'grep --dereference-recursive x .',
  'grep -rfp x',
  'grep --exclude-from=p x .',
  'grep -D read x fifo',
  'grep --devices=read x',
  'rg --pre ./x foo',
  'rg --pre=./x foo',
  'rg --hostname-bin ./x foo',
  'rg -z foo',
  'rg --search-zip foo',
  'rg -L foo',
  'rg --follow foo',
  'rg -f p',
  'rg --hidden foo',
  'rg -u foo',
  'rg -uuu foo',
  'rg --no-ignore foo',
  'rg --ignore-file x foo',
  'rg --type-add a:*.x foo',
  'rg -in --pre ./x foo',
  'ls --hyperlink=x y',
  'ls --unknown',
  'ls -Z',
  'cat --unknown',
  'head -f x',
  'tail -f log',
  'tail -F log',
  'tail --follow=name log',
  'tail --pid=1 log',
  'wc --files0-from=list',
  'sort -o x x',
  'sort --output=x x',
  'sort -uo x x',
  'sort --compress-program=./x x',
  'sort -T out x',
  'sort --files0-from=l',
  'sort --random-source=/etc/passwd x',
  'uniq a.txt b.txt',
  'du --files0-from=l',
  'stat -f',
  'cut --unknown x',
  'diff a b',
  'tree -o x',
  'file -C -m x',
  'echo x | xargs cat',
  'find . | xargs grep x',
  'ls | xargs rm',
  'xargs -a list cat',
  'printf -v x y',
  'pwd x',
  'date -s now',
  'less a',
  'more a',
  'man ls',
  'vi a',
  'awk 1 a',
  'sed -n p a',
  'sed -i s/a/b/ a',
  'tee x',
  'env',
  'printenv',
  'jq . a',
  'ls & touch x',
  'ls && touch x',
  'ls; touch x',
  'ls | sh',
  'cat a | bash',
  'ls || touch x',
  '! touch x',
  'ls\ntouch x',
  'coproc ls; touch x',
  'time touch x',
  'sudo ls',
  'nice -n 5 touch x',
  // git with what writes, starts or leads elsewhere.
  'git diff --output=x',
  'git log --output x',
  'git diff --ext-diff',
  'git show --ext-diff',
  'git log --textconv',
  'git diff --textconv',
  'git -c core.pager=./x log',
  'git -c core.fsmonitor=./x status',
  'git -c diff.external=./x diff',
  'git --exec-path=. log',
  'git -C .. log',
  'git --git-dir=/x log',
  'git --work-tree=.. status',
  'git -p log',
  'git --paginate log',
  'git log --show-signature',
  'git log --format=%G?',
  'git grep -O foo',
  'git grep --open-files-in-pager foo',
  'git grep -Oless foo',
  'git diff --no-index /etc/passwd a',
  'git diff --no-index a /etc/passwd',
  'git log -- ../x',
  'git blame --contents /etc/passwd a',
  'git checkout .',
  'git reset --hard',
  'git stash',
  'git add .',
  'git commit -m x',
  'git push',
  'git fetch',
  'git config core.pager ./x',
  'git branch new',
  'git tag v1',
  'git archive HEAD',
  'git bisect start',
  'git submodule status',
  'git ls-remote',
  'git remote update',
  'git log --ext-diff',
  'cd src && git status',
  'git alias',
  'git difftool',
  'git mergetool',
  'git gc',
] as const;

describe('commands that only read', () => {
  it.each(READING)('run without a question if nothing can be written: %s', async (line) => {
    expect(await decide(line)).toMatchObject({ kind: 'allow', readsOnly: true });
  });

  it.each(READING)('need approval if nothing would confine them: %s', async (line) => {
    expect(await decide(line, { isConfined: false })).toMatchObject({ kind: 'ask' });
  });

  it('have more than 150 different counterexamples', () => {
    expect(new Set(HOSTILE).size).toBe(HOSTILE.length);
    expect(HOSTILE.length).toBeGreaterThan(150);
  });

  it.each(HOSTILE)('do not include this line: %s', async (line) => {
    const decision = await decide(line);
    expect(decision.kind === 'allow' ? decision : 'not allowed').toBe('not allowed');
  });

  it('may be denied and asked about by rules', async () => {
    expect(await onLine('cat README.md', { deny: ['bash(cat *)'] })).toMatchObject({ kind: 'deny' });
    expect(await onLine('ls', { ask: ['bash(ls *)'] })).toMatchObject({ kind: 'ask' });
  });

  it.each(['git status', 'git log', 'git diff | head', 'ls && git show'])(
    'need approval if the repository names programs for git: %s',
    async (line) => {
      expect(await decide(line, { gitRisk: 'its configuration sets alias.x' })).toMatchObject({
        kind: 'ask',
        reason: expect.stringContaining('because of the repository: its configuration sets alias.x.'),
      });
    },
  );

  it('need approval in the tool for git by the same rule', async () => {
    const { policy } = await policyOf({}, { gitRisk: (directory) => (directory === ROOT ? 'x' : undefined) });
    expect(policy.decide(program('git', 'git', 'status'))).toMatchObject({ kind: 'ask' });
    const { policy: open } = await policyOf();
    expect(open.decide(program('git', 'git', 'status'))).toMatchObject({ kind: 'allow', readsOnly: true });
  });
});

describe('the configuration of a repository', () => {
  it('is harmless as git creates it', () => {
    const text =
      '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n# a comment\n' +
      '[remote "origin"]\n\turl = git@example.org:a/b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n' +
      '[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n[user]\n\tname = Me\n';
    expect(riskInGitConfiguration(text)).toBeUndefined();
  });

  it.each([
    '[core]\nattributesFile = x',
    '[core]\nworktree = /',
    '[core]\ngitProxy = ./x',
    '[core]\nalternateRefsCommand = ./x',
    '[diff]\nexternal = ./x',
    '[diff "a"]\ntextconv = ./x',
    '[diff "a"]\ncommand = ./x',
    '[diff.a]\ntextconv = ./x',
    '[filter "lfs"]\nclean = ./x',
    '[filter "a"]\nprocess = ./x',
    '[filter "a"]\nsmudge = ./x',
    '[pager]\nlog = ./x',
    '[pager]\ndiff = ./x',
    '[include]\npath = ../x',
    '[includeIf "gitdir:/"]\npath = x',
    '[alias]\nlog = !./x',
    '[submodule "a"]\nupdate = !./x',
    '[extensions]\nworktreeConfig = true',
    '[extensions]\npartialClone = origin',
    '[remote "a"]\nuploadpack = ./x',
    '[remote "a"]\npromisor = true',
    '[credential]\nhelper = !./x',
    '[interactive]\ndiffFilter = ./x',
    '[difftool "a"]\ncmd = ./x',
    '[mergetool "a"]\ncmd = ./x',
    '[merge "a"]\ndriver = ./x',
    '[trailer "a"]\ncommand = ./x',
    '[uploadpack]\npackObjectsHook = ./x',
    '[core] gitProxy = ./x',
    '[CORE]\nGitProxy = ./x',
    '[core]\n\tautocrlf = \\\n gitProxy',
    'fsmonitor = x',
    '[core\nfsmonitor=x',
    '\uFEFF[core]\ngitProxy = x',
    '[core]\r\ngitProxy = ./x\r',
    '[core]\n[core]\n  gitProxy',
    '\0',
    '[gpg "SSH"]\nprogram = ./x',
    '[core "x"]\npager = ./x',
  ])('may start something: %j', (text) => {
    expect(riskInGitConfiguration(text)).toBeDefined();
  });

  it.each(GIT_PROGRAM_KEYS)(
    'may not name the program of $key, unless it is switched off for reading commands',
    ({ key, off }) => {
      const [section, ...rest] = key.split('.');
      const name = rest.pop();
      const text = `[${section}${rest.length === 0 ? '' : ` "${rest.join('.')}"`}]\n\t${name} = ./x\n`;
      expect(riskInGitConfiguration(text) === undefined).toBe(off !== undefined);
    },
  );
});

describe('“always” for a line of several commands', () => {
  it('offers each part that needs approval, once', async () => {
    expect(await onLine('npm test && npm run lint && ls && npm test')).toMatchObject({
      kind: 'ask',
      grant: 'bash(npm test)',
      alsoGrant: ['bash(npm run lint)'],
    });
    expect(await onLine('npm test && ls')).not.toHaveProperty('alsoGrant');
  });

  it.each(['npm test && rm -rf x', 'npm test && X=1 make', 'npm test > $F', 'a; b; c; d; e; f; g'])(
    'is not offered if a part is dangerous, cannot be granted, or there are too many: %s',
    async (line) => {
      expect(await onLine(line)).not.toHaveProperty('grant');
    },
  );

  it('lets the line run once all its parts are granted', async () => {
    const { policy } = await policyOf();
    const line = shell('npm test && npm run lint');
    policy.grant('bash(npm test)');
    expect(policy.decide(line)).toMatchObject({ kind: 'ask', grant: 'bash(npm run lint)' });
    policy.grant('bash(npm run lint)');
    expect(policy.decide(line)).toMatchObject({ kind: 'allow', by: 'grant' });
  });
});
