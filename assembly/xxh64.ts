// XXH64 with seed 0 over memory: https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md. Input that does not fit
// into memory at once is taken in parts, all but the last of which are a multiple of STRIPE bytes long.

const PRIME_1: u64 = 0x9e3779b185ebca87;
const PRIME_2: u64 = 0xc2b2ae3d27d4eb4f;
const PRIME_3: u64 = 0x165667b19e3779f9;
const PRIME_4: u64 = 0x85ebca77c2b2ae63;
const PRIME_5: u64 = 0x27d4eb2f165667c5;

const STRIPE: usize = 32;

let lane1: u64 = 0;
let lane2: u64 = 0;
let lane3: u64 = 0;
let lane4: u64 = 0;

function round(lane: u64, input: u64): u64 {
  return rotl<u64>(lane + input * PRIME_2, 31) * PRIME_1;
}

function merge(hash: u64, lane: u64): u64 {
  return (hash ^ round(0, lane)) * PRIME_1 + PRIME_4;
}

export function begin(): void {
  lane1 = PRIME_1 + PRIME_2;
  lane2 = PRIME_2;
  lane3 = 0;
  lane4 = 0 - PRIME_1;
}

/** Takes all whole stripes from `start` to `stop`, and returns where the rest begins. */
export function takeStripes(start: usize, stop: usize): usize {
  let at = start;
  let first = lane1;
  let second = lane2;
  let third = lane3;
  let fourth = lane4;
  for (; at + STRIPE <= stop; at += STRIPE) {
    first = round(first, load<u64>(at));
    second = round(second, load<u64>(at, 8));
    third = round(third, load<u64>(at, 16));
    fourth = round(fourth, load<u64>(at, 24));
  }
  lane1 = first;
  lane2 = second;
  lane3 = third;
  lane4 = fourth;
  return at;
}

/** The hash of what was taken and of the last bytes, less than a stripe; `total` counts all of them. */
export function finish(start: usize, stop: usize, total: u64): u64 {
  let hash = PRIME_5;
  if (total >= STRIPE) {
    hash = rotl<u64>(lane1, 1) + rotl<u64>(lane2, 7) + rotl<u64>(lane3, 12) + rotl<u64>(lane4, 18);
    hash = merge(merge(merge(merge(hash, lane1), lane2), lane3), lane4);
  }
  hash += total;
  let at = start;
  for (; at + 8 <= stop; at += 8) hash = rotl<u64>(hash ^ round(0, load<u64>(at)), 27) * PRIME_1 + PRIME_4;
  if (at + 4 <= stop) {
    hash = rotl<u64>(hash ^ (<u64>load<u32>(at) * PRIME_1), 23) * PRIME_2 + PRIME_3;
    at += 4;
  }
  for (; at < stop; at += 1) hash = rotl<u64>(hash ^ (<u64>load<u8>(at) * PRIME_5), 11) * PRIME_1;
  hash = (hash ^ (hash >> 33)) * PRIME_2;
  hash = (hash ^ (hash >> 29)) * PRIME_3;
  return hash ^ (hash >> 32);
}

/** Of everything from `start` to `stop`. */
export function hashOf(start: usize, stop: usize): u64 {
  begin();
  return finish(takeStripes(start, stop), stop, <u64>(stop - start));
}
