/** A warning, once per process, about keys that can be guessed. */

/** The fewest bytes of a key that no one can guess, if they are random. */
const ENOUGH_BYTES = 16

let silent = false

/** For suites and benchmarks, whose keys are labels and protect nothing: no warning from here on. */
export function expectToyKeys(): void {
  silent = true
}

/** Warns once where a key has fewer than 16 bytes. Says nothing of the key itself. */
export function warnOfShortKey(key: Uint8Array): void {
  if (silent || key.length >= ENOUGH_BYTES) return
  silent = true
  console.warn(
    `uwbench: this key has fewer than ${ENOUGH_BYTES} bytes and can be guessed; use a longer, random one`,
  )
}
