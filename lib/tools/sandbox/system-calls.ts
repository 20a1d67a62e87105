// The system calls that bubblewrap's namespaces do not confine, and a filter that the kernel runs before each call of a
// confined program (seccomp, classic BPF). Keyrings have no namespace, sockets of virtual machines leave that of the
// network, a set-user-id file outlives the sandbox, and io_uring does all of these without a system call that a filter
// could see.

/** For the kernel: the name of the architecture in AUDIT_ARCH_*, and the number of each call. */
interface Architecture {
  readonly audit: number;
  readonly numbers: Readonly<Partial<Record<SystemCall, number>>>;
  /** Numbers from here on are those of a second interface to the same calls. */
  readonly secondInterface?: number;
}

const SHARED_NUMBERS = {
  io_uring_setup: 425,
  io_uring_enter: 426,
  io_uring_register: 427,
  openat2: 437,
  fchmodat2: 452,
} as const;

const X64_NUMBERS = {
  ...SHARED_NUMBERS,
  ...{ keyctl: 250, add_key: 248, request_key: 249, bpf: 321, perf_event_open: 298 },
  ...{ socket: 41, chmod: 90, fchmod: 91, fchmodat: 268 },
  ...{ open: 2, creat: 85, openat: 257, mknod: 133, mknodat: 259 },
} as const;

/** This architecture has all of them. */
type SystemCall = keyof typeof X64_NUMBERS;

const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  x64: { audit: 0xc000003e, numbers: X64_NUMBERS, secondInterface: 0x40000000 },
  arm64: {
    audit: 0xc00000b7,
    numbers: {
      ...SHARED_NUMBERS,
      ...{ keyctl: 219, add_key: 217, request_key: 218, bpf: 280, perf_event_open: 241 },
      ...{ socket: 198, fchmod: 52, fchmodat: 53, openat: 56, mknodat: 33 },
    },
  },
};

const EPERM = 1;
/** As on a kernel that does not have the call: programs do without it then. */
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

const SET_USER_ID = 0o4000;
/** O_CREAT and O_TMPFILE: only then is there a mode among the arguments. */
const CREATES = 0o100 | 0o20000000;
const FAMILIES = { unix: 1, inet: 2, inet6: 10, netlink: 16, vsock: 40 } as const;

/** What an argument must be for a rule to hold. */
type Condition =
  | { readonly argument: number; readonly anyOf: number }
  | { readonly argument: number; readonly noneOf: readonly number[] }
  | { readonly argument: number; readonly is: number };

interface Rule {
  readonly call: SystemCall;
  readonly when?: readonly Condition[];
  readonly error: number;
}

const UNAVAILABLE = [
  ...['keyctl', 'add_key', 'request_key', 'bpf', 'perf_event_open'],
  ...['io_uring_setup', 'io_uring_enter', 'io_uring_register'],
  // `openat2` has its mode in memory, where no filter can look. Programs fall back to openat.
  'openat2',
] as readonly SystemCall[];

const SET_USER_ID_CALLS: readonly Rule[] = [
  ...(
    [
      ['chmod', 1],
      ['fchmod', 1],
      ['fchmodat', 2],
      ['fchmodat2', 2],
      ['creat', 1],
      ['mknod', 1],
      ['mknodat', 2],
    ] as const
  ).map(([call, argument]): Rule => ({ call, when: [{ argument, anyOf: SET_USER_ID }], error: EPERM })),
  ...(
    [
      ['open', 1],
      ['openat', 2],
    ] as const
  ).map(
    ([call, flags]): Rule => ({
      call,
      when: [
        { argument: flags, anyOf: CREATES },
        { argument: flags + 1, anyOf: SET_USER_ID },
      ],
      error: EPERM,
    }),
  ),
];

/** Without the network: only calls that the network namespace confines. */
function socketRule(network: boolean): Rule {
  const { unix, inet, inet6, netlink, vsock } = FAMILIES;
  const condition: Condition = network
    ? { argument: 0, is: vsock }
    : { argument: 0, noneOf: [unix, inet, inet6, netlink] };
  return { call: 'socket', when: [condition], error: EAFNOSUPPORT };
}

/**
 * The filter as bubblewrap's --seccomp reads it; undefined for an architecture of which the numbers are not known here.
 *
 * @example
 * systemCallFilter({ arch: process.arch, network: false });
 */
export function systemCallFilter({
  arch,
  network,
}: {
  readonly arch: string;
  readonly network: boolean;
}): Uint8Array | undefined {
  const architecture = ARCHITECTURES[arch];
  if (architecture === undefined) return undefined;
  const { audit, numbers, secondInterface } = architecture;
  const rules: readonly Rule[] = [
    ...UNAVAILABLE.map((call) => ({ call, error: ENOSYS })),
    ...SET_USER_ID_CALLS,
    socketRule(network),
  ];
  return encode([
    load(ARCHITECTURE_OFFSET),
    ...(secondInterface === undefined
      ? [jump('equal', audit, { ifTrue: 1 })]
      : [jump('equal', audit, { ifFalse: 2 }), load(NUMBER_OFFSET), jump('atLeast', secondInterface, { ifFalse: 1 })]),
    // A program can make calls of another architecture, such as the 32-bit ones, under other numbers.
    refuse(ENOSYS),
    ...rules.flatMap(({ call, when = [], error }) => {
      const number = numbers[call];
      return number === undefined ? [] : ruleInstructions(number, when, error);
    }),
    allow(),
  ]);
}

interface Instruction {
  readonly code: number;
  readonly jumpTrue?: number;
  readonly jumpFalse?: number;
  readonly value: number;
}

/** In the kernel's struct seccomp_data. */
const NUMBER_OFFSET = 0;
const ARCHITECTURE_OFFSET = 4;
/** The lower half of an argument; both architectures are little-endian. All arguments looked at have 32 bits. */
const argumentOffset = (argument: number) => 16 + 8 * argument;

const CODES = { load: 0x20, equal: 0x15, atLeast: 0x35, anyBit: 0x45, answer: 0x06 } as const;
const ALLOW = 0x7fff0000;
const ERROR = 0x00050000;

/** Goes past its own end where the call is another one or a condition does not hold. */
function ruleInstructions(number: number, conditions: readonly Condition[], error: number): Instruction[] {
  let rest: Instruction[] = [refuse(error)];
  for (const condition of conditions.toReversed()) rest = [...conditionInstructions(condition, rest.length), ...rest];
  return [load(NUMBER_OFFSET), jump('equal', number, { ifFalse: rest.length }), ...rest];
}

/** `after`: how many instructions of the rule follow. */
function conditionInstructions(condition: Condition, after: number): Instruction[] {
  const value = load(argumentOffset(condition.argument));
  if ('anyOf' in condition) return [value, jump('anyBit', condition.anyOf, { ifFalse: after })];
  if ('is' in condition) return [value, jump('equal', condition.is, { ifFalse: after })];
  const { noneOf } = condition;
  return [value, ...noneOf.map((each, index) => jump('equal', each, { ifTrue: noneOf.length - 1 - index + after }))];
}

function load(offset: number): Instruction {
  return { code: CODES.load, value: offset };
}

/** Skips as many instructions as `ifTrue` or `ifFalse` says. */
function jump(
  test: 'equal' | 'atLeast' | 'anyBit',
  value: number,
  { ifTrue = 0, ifFalse = 0 }: { readonly ifTrue?: number; readonly ifFalse?: number },
): Instruction {
  return { code: CODES[test], jumpTrue: ifTrue, jumpFalse: ifFalse, value };
}

function refuse(error: number): Instruction {
  return { code: CODES.answer, value: ERROR | error };
}

function allow(): Instruction {
  return { code: CODES.answer, value: ALLOW };
}

/** As an array of struct sock_filter. */
function encode(instructions: readonly Instruction[]): Uint8Array {
  const bytes = new Uint8Array(instructions.length * 8);
  const view = new DataView(bytes.buffer);
  for (const [index, { code, jumpTrue = 0, jumpFalse = 0, value }] of instructions.entries()) {
    view.setUint16(index * 8, code, true);
    view.setUint8(index * 8 + 2, jumpTrue);
    view.setUint8(index * 8 + 3, jumpFalse);
    view.setUint32(index * 8 + 4, value, true);
  }
  return bytes;
}
