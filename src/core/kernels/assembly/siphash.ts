// The seeds of many contexts at once: SipHash-2-4-128 and the round keys made of it (src/core/kernels/siphash.ts, src/core/kernels/mix.ts).

/** Three ChaCha quarter-rounds of the seed plus ChaCha's constants. */
// @ts-ignore: decorator
@inline
function roundKeys(low: u64, high: u64, out: usize): void {
  let a = <u32>low + 0x61707865
  let b = <u32>(low >> 32) + 0x3320646e
  let c = <u32>high + 0x79622d32
  let d = <u32>(high >> 32) + 0x6b206574
  for (let i = 0; i < 3; i++) {
    a += b
    d = rotl(d ^ a, 16)
    c += d
    b = rotl(b ^ c, 12)
    a += b
    d = rotl(d ^ a, 8)
    c += d
    b = rotl(b ^ c, 7)
  }
  store<u32>(out, a)
  store<u32>(out, b, 4)
  store<u32>(out, c, 8)
  store<u32>(out, d, 12)
}

/** out[4 j ..] = the round keys of context j, the `length` words at words[j step ..]. The key is 16 bytes. */
export function seed(words: usize, key: usize, count: i32, length: i32, step: i32, out: usize): void {
  const k0 = load<u64>(key)
  const k1 = load<u64>(key, 8)
  const whole = length >> 1
  const odd = (length & 1) !== 0
  for (let j = 0; j < count; j++, words += <usize>step << 2, out += 16) {
    let v0 = k0 ^ 0x736f6d6570736575
    let v1 = k1 ^ 0x646f72616e646f6d ^ 0xee
    let v2 = k0 ^ 0x6c7967656e657261
    let v3 = k1 ^ 0x7465646279746573
    let low: u64 = 0
    // the whole blocks and the last one, two rounds each; then two times four rounds for the two halves of the output
    for (let s = 0; s < whole + 3; s++) {
      let block: u64 = 0
      if (s < whole) block = load<u64>(words + (<usize>s << 3))
      else if (s === whole)
        block = (<u64>(length << 2) << 56) | (odd ? <u64>load<u32>(words + (<usize>s << 3)) : 0)
      else if (s === whole + 1) v2 ^= 0xee
      else {
        low = v0 ^ v1 ^ v2 ^ v3
        v1 ^= 0xdd
      }
      v3 ^= block
      for (let rounds = s <= whole ? 2 : 4; rounds > 0; rounds--) {
        v0 += v1
        v1 = rotl(v1, 13) ^ v0
        v0 = rotl(v0, 32)
        v2 += v3
        v3 = rotl(v3, 16) ^ v2
        v0 += v3
        v3 = rotl(v3, 21) ^ v0
        v2 += v1
        v1 = rotl(v1, 17) ^ v2
        v2 = rotl(v2, 32)
      }
      v0 ^= block
    }
    roundKeys(low, v0 ^ v1 ^ v2 ^ v3, out)
  }
}
