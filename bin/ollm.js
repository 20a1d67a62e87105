#!/usr/bin/env node
// Starts the command line. Runs on any Node that knows ES modules: one older than 24 hands over to the Node 24 in a
// node_modules beside or above this file; without one, a sentence says what to install.
const NEEDED_MAJOR = 24;
const major = (version) => Number(version.replace(/^v/, '').split('.')[0]);

if (typeof WebAssembly === 'undefined') {
  // The checksums of the journal are computed in it.
  console.error(
    'ollm: Node was started without WebAssembly, which ollm needs.\nLeave out --jitless; it may be in NODE_OPTIONS.',
  );
  process.exitCode = 2;
} else if (major(process.versions.node) >= NEEDED_MAJOR) {
  const main = await loadMain();
  if (main) {
    reportOldBuild();
    await main(process.argv.slice(2));
  }
} else {
  // Loaded only here: this would be a fifth of the start of every other run.
  const [fs, path, url, { spawn, spawnSync }] = await Promise.all(
    ['node:fs', 'node:path', 'node:url', 'node:child_process'].map((name) => import(name)),
  );
  const newer = findNewerNode({ ...fs, ...path, ...url, spawnSync });
  if (newer) handOver(newer, spawn);
  else {
    console.error(
      `ollm needs Node ${NEEDED_MAJOR} or newer, and this is ${process.version}. \nIn a clone, "npm ci" brings one; elsewhere "npm install node@${NEEDED_MAJOR}" does, or see https://nodejs.org.`,
    );
    process.exitCode = 2;
  }
}

/** The program. In a clone that was not built, or whose packages are gone, a sentence that says what to run. */
async function loadMain() {
  try {
    return (await import('../dist/program/main.js')).main;
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const { fileURLToPath } = await import('node:url');
    const folder = fileURLToPath(new URL('..', import.meta.url));
    console.error(`ollm: ${folder} is not installed and built yet.\nRun "npm ci" there, then start ollm again.`);
    process.exitCode = 2;
  }
}

/** In a clone, where a pull changed the sources: two looks at the disk, and once after a commit one at each source. */
function reportOldBuild() {
  const fs = process.getBuiltinModule('node:fs');
  const stat = (name) => fs.statSync(new URL(`../${name}`, import.meta.url), { throwIfNoEntry: false });
  const commit = stat('.git/logs/HEAD');
  const built = commit && stat('dist/.built');
  if (!built || built.ctimeMs >= commit.mtimeMs) return;
  const sources = fs.readdirSync(new URL('../lib', import.meta.url), { recursive: true });
  // The stamp has the time of the newest source at the build.
  if (sources.some((name) => (stat(`lib/${name}`)?.mtimeMs ?? 0) > built.mtimeMs)) {
    console.error('ollm: dist/ is older than the sources in lib/. "npm run build" makes it new.');
    return;
  }
  try {
    // The time of its last change is that of this look from now on.
    fs.utimesSync(new URL('../dist/.built', import.meta.url), built.atime, built.mtime);
  } catch {
    // It belongs to another user: each start looks.
  }
}

function findNewerNode({ existsSync, dirname, join, fileURLToPath, spawnSync }) {
  // Not from the current directory: a project could put a program of its own there.
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node');
    if (existsSync(candidate)) {
      const answer = spawnSync(candidate, ['--version'], { encoding: 'utf8' });
      if (answer.status === 0 && major(answer.stdout.trim()) >= NEEDED_MAJOR) return candidate;
    }
    if (dirname(folder) === folder) return null;
  }
}

function handOver(newer, spawn) {
  const child = spawn(newer, process.argv.slice(1), { stdio: 'inherit' });
  // Ctrl+C reaches both from the terminal: the child decides what it means. The others are passed on.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    if (signal) {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    } else process.exitCode = code ?? 1;
  });
}
