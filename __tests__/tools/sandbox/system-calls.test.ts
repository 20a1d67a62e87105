// The filter as the kernel would run it, for both architectures; and as it runs, around a real program.
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lookForSandbox } from '../../../lib/tools/sandbox/find-sandbox.ts';
import { systemCallFilter } from '../../../lib/tools/sandbox/system-calls.ts';
import { confined, describeConfined, programWorld, sandbox, type World } from '../program-world.ts';

const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97];
const ALLOWED = 'allowed';
const ARCHITECTURES = { x64: 0xc000003e, arm64: 0xc00000b7, i386: 0x40000003 } as const;

interface Call {
  readonly number: number;
  readonly arguments?: readonly number[];
  /** The one of the filter, if it is not another one. */
  readonly as?: keyof typeof ARCHITECTURES;
}

/** Classic BPF, as far as such a filter uses it. */
function answerOf(arch: 'x64' | 'arm64', call: Call, network = false): number | typeof ALLOWED {
  const program = systemCallFilter({ arch, network })!;
  const view = new DataView(program.buffer);
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, call.number, true);
  data.setUint32(4, ARCHITECTURES[call.as ?? arch], true);
  for (const [index, value] of (call.arguments ?? []).entries()) data.setUint32(16 + 8 * index, value, true);
  let accumulator = 0;
  for (let at = 0; at < program.length; at += 8) {
    const code = view.getUint16(at, true);
    const value = view.getUint32(at + 4, true);
    const jump = (isTrue: boolean) => (at += 8 * view.getUint8(at + (isTrue ? 2 : 3)));
    if (code === 0x20) accumulator = data.getUint32(value, true);
    else if (code === 0x15) jump(accumulator === value);
    else if (code === 0x35) jump(accumulator >= value);
    else if (code === 0x45) jump((accumulator & value) !== 0);
    else if (code === 0x06) return value === 0x7fff0000 ? ALLOWED : value & 0xffff;
    else throw new Error(`There is no instruction ${code.toString(16)}.`);
  }
  throw new Error('The program has no end.');
}

describe.each([
  ['x64', { keyctl: 250, bpf: 321, socket: 41, fchmod: 91, fchmodat: 268, openat: 257, mknodat: 259, read: 0 }],
  ['arm64', { keyctl: 219, bpf: 280, socket: 198, fchmod: 52, fchmodat: 53, openat: 56, mknodat: 33, read: 63 }],
] as const)('the filter for %s', (arch, numbers) => {
  const answer = (call: keyof typeof numbers, ...args: readonly number[]) =>
    answerOf(arch, { number: numbers[call], arguments: args });

  it('denies keyrings, io_uring and programs for the kernel', () => {
    for (const call of ['keyctl', 'bpf'] as const) expect(answer(call)).toBe(ENOSYS);
    for (const number of [425, 426, 427, 437]) expect(answerOf(arch, { number })).toBe(ENOSYS);
    expect(answer('read', 0, 0, 10)).toBe(ALLOWED);
  });

  it('allows sockets only of the families that the network namespace confines', () => {
    for (const family of [1, 2, 10, 16]) expect(answer('socket', family, 1, 0)).toBe(ALLOWED);
    for (const family of [40, 31, 38, 42, 0]) expect(answer('socket', family, 1, 0)).toBe(EAFNOSUPPORT);
    const withNetwork = (family: number) => answerOf(arch, { number: numbers.socket, arguments: [family] }, true);
    expect([2, 31, 40].map(withNetwork)).toEqual([ALLOWED, ALLOWED, EAFNOSUPPORT]);
  });

  it('denies the set-user-id bit of files, and allows any other mode', () => {
    expect(answer('fchmod', 3, 0o4755)).toBe(EPERM);
    expect(answer('fchmodat', -100, 0, 0o6755)).toBe(EPERM);
    expect(answer('fchmodat', -100, 0, 0o2755)).toBe(ALLOWED);
    expect(answerOf(arch, { number: 452, arguments: [-100, 0, 0o4700] })).toBe(EPERM);
    expect(answer('openat', -100, 0, 0o101, 0o4755)).toBe(EPERM);
    expect(answer('openat', -100, 0, 0o20200001, 0o4755)).toBe(EPERM);
    expect(answer('mknodat', -100, 0, 0o104755)).toBe(EPERM);
    // Without O_CREAT the fourth argument is a leftover of the register.
    expect(answer('openat', -100, 0, 0, 0xffffffff)).toBe(ALLOWED);
    expect(answer('openat', -100, 0, 0o101, 0o755)).toBe(ALLOWED);
  });

  it('denies calls of a different architecture', () => {
    expect(answerOf(arch, { number: 0, as: 'i386' })).toBe(ENOSYS);
    expect(answerOf(arch, { number: 0, as: arch === 'x64' ? 'arm64' : 'x64' })).toBe(ENOSYS);
  });
});

it('x64 has no calls of its second interface', () => {
  expect(answerOf('x64', { number: 0x40000000 })).toBe(ENOSYS);
  expect(answerOf('x64', { number: 0x3fffffff })).toBe(ALLOWED);
});

const known = process.arch === 'x64' || process.arch === 'arm64';
const hasPerl = existsSync('/usr/bin/perl');
const describeReal = known && hasPerl && process.platform === 'linux' ? describeConfined : describe.skip;

describeReal(`a program, ${confined}`, () => {
  let world: World;
  beforeEach(() => {
    world = programWorld();
  });
  afterEach(() => world.remove());

  const numbers = process.arch === 'x64' ? { keyctl: 250, socket: 41 } : { keyctl: 219, socket: 198 };
  /** The number of the error, or 0. */
  const perl = async (script: string) => {
    const { text } = await world.run(['/usr/bin/perl', '-e', `${script}; print $! + 0`], { sandbox });
    return text;
  };

  it('finds no keyring, although one exists outside', async () => {
    const script = `exit 0 if syscall(${numbers.keyctl}, 0, -3, 1) >= 0`;
    expect(await perl(script)).toBe(String(ENOSYS));
  });

  it('gets no socket to the host of a virtual machine', async () => {
    expect(await perl(`exit 0 if syscall(${numbers.socket}, 40, 1, 0) >= 0`)).toBe(String(EAFNOSUPPORT));
    expect(await perl(`$! = 0; syscall(${numbers.socket}, 2, 1, 0) >= 0 or exit 1; $! = 0`)).toBe('0');
  });

  it('cannot leave a set-user-id file, and can change other modes', async () => {
    writeFileSync(join(world.project, 'tool'), '#!/bin/sh\n');
    mkdirSync(join(world.project, 'shared'));
    chmodSync(join(world.project, 'tool'), 0o600);
    const { text } = await world.sh('chmod u+s tool; chmod 755 tool && chmod g+s shared && install -m 4755 tool copy', {
      sandbox,
    });
    expect(text.match(/Operation not permitted/g)).toHaveLength(2);
    expect(statSync(join(world.project, 'tool')).mode & 0o7777).toBe(0o755);
    expect(statSync(join(world.project, 'shared')).mode & 0o2000).toBe(0o2000);
    expect(existsSync(join(world.project, 'copy')) && statSync(join(world.project, 'copy')).mode & 0o4000).toBeFalsy();
  });

  it('can still write files, and start threads and programs', async () => {
    const node = `require('fs').writeFileSync('made', 'x'); new (require('worker_threads').Worker)('1', { eval: true }); require('child_process').execFileSync('true')`;
    expect(await world.run([process.execPath, '-e', node], { sandbox })).toMatchObject({ exitCode: 0, text: '' });
    expect(readFileSync(join(world.project, 'made'), 'utf8')).toBe('x');
  });

  it('runs without the filter on an unknown architecture, and the sandbox says so', async () => {
    const found = await lookForSandbox({ platform: 'linux', path: '/usr/bin:/bin', arch: 'mips' });
    expect(found).toMatchObject({ available: true, sandbox: { lacks: expect.stringContaining('without a filter') } });
    expect(sandbox?.lacks).toBeUndefined();
  });
});
