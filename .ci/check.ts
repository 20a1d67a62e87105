// npm run check: every check of the code without running it. Each step is one line; a step that fails prints its
// findings. All steps run side by side.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const bin = (name: string): string => `${root}node_modules/.bin/${name}`;

const STEPS: readonly (readonly [name: string, command: string, ...args: string[]])[] = [
  ['format and lint', bin('biome'), 'ci', '--colors=off', '--error-on-warnings', '.'],
  ['width of comments and pages', process.execPath, '.ci/width.ts'],
  ['plain English', process.execPath, '.ci/prose.ts'],
  ['tests state no time', process.execPath, '.ci/test-clocks.ts'],
  ['types', bin('tsc'), ...remembered('types'), '-p', 'tsconfig.json'],
  ['types of the page', bin('tsc'), ...remembered('page'), '-p', 'lib/page/tsconfig.json'],
  ['published types', process.execPath, '.ci/published-types.ts'],
  ['import direction', process.execPath, '.ci/imports.ts'],
  ['exports that are used', process.execPath, '.ci/exports.ts'],
  ['names of types', process.execPath, '.ci/names.ts'],
  ['generated files', process.execPath, 'schemas/generate.ts', '--check'],
  ['generated pages', process.execPath, '.ci/generate-docs.ts', '--check'],
];

const results = await Promise.all(
  STEPS.map(async ([name, command, ...args]) => {
    const started = performance.now();
    const { code, output } = await run(command, args);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)`);
    if (code !== 0) console.log(output.trimEnd());
    return code;
  }),
);
if (results.some((code) => code !== 0)) process.exitCode = 1;

/** Options of tsc for a check of only those files that a change since the last run may affect. */
function remembered(name: string): readonly string[] {
  return ['--incremental', '--tsBuildInfoFile', `${root}node_modules/.cache/${name}.tsbuildinfo`];
}

function run(command: string, args: readonly string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.on('data', (bytes) => {
      output += bytes;
    });
    child.stderr.on('data', (bytes) => {
      output += bytes;
    });
    child.on('error', (error) => resolve({ code: 1, output: error.message }));
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}
