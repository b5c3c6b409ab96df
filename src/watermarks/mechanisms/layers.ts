/**
 * Watermarks that play several layers at one position: in each, a secret bit splits the vocabulary in two, and both parts are scaled. All bits of a token come from
 * one 32-bit word.
 */
import { active } from '../../core/kernels/index.ts'

/** The factors of tokens with bit 0 and with bit 1, given the mass of those with bit 1 and of all tokens, which rounding moves away from 1. */
export type LayerFactors = (ones: number, layer: number, total: number) => readonly [number, number]

/** The masses and factors of patterns, by the number of bits: reused, as such small arrays take longer to make than to fill. */
const reused: { readonly mass: Float64Array; readonly factor: Float64Array }[] = []
const patternsOf = (bits: number) =>
  (reused[bits] ??= { mass: new Float64Array(2 ** bits), factor: new Float64Array(2 ** bits) })

/**
 * Writes by how much a few layers scale the tokens of each bit pattern, given the mass of each pattern: tokens with the same bits are
 * scaled alike, so the layers can be played over patterns instead of tokens.
 */
function patternFactors(
  mass: Float64Array,
  first: number,
  factorsOf: LayerFactors,
  factor: Float64Array,
): Float64Array {
  factor.fill(1)
  for (let bit = 1, layer = first; bit < mass.length; bit *= 2, layer++) {
    let zeros = 0
    let ones = 0
    for (let c = 0; c < mass.length; c++) {
      if (c & bit) ones += mass[c]! * factor[c]!
      else zeros += mass[c]! * factor[c]!
    }
    const [zero, one] = factorsOf(ones, layer, zeros + ones)
    for (let c = 0; c < mass.length; c++) factor[c]! *= c & bit ? one : zero
  }
  return factor
}

/** Returns the number of layers to play at once: few passes over the vocabulary, and not many more patterns than tokens. */
const layersAtOnce = (vocabSize: number, layers: number): number => {
  const most = Math.max(3, Math.min(11, Math.floor(Math.log2(vocabSize)) - 4))
  return Math.ceil(layers / Math.ceil(layers / most))
}

/** Writes q: layer after layer, tokens with bit 0 and those with bit 1 of their word are scaled by what `factorsOf` says. */
export function playLayers(
  p: Float64Array,
  words: Uint32Array,
  layers: number,
  factorsOf: LayerFactors,
  q: Float64Array,
): void {
  if (layers === 0) q.set(p)
  const atOnce = layersAtOnce(p.length, layers)
  for (let first = 0; first < layers; first += atOnce) {
    const { mass, factor } = patternsOf(Math.min(atOnce, layers - first))
    const from = first === 0 ? p : q
    active(from).classMass(from, words, first, mass)
    active(from).classScale(from, words, first, patternFactors(mass, first, factorsOf, factor), q)
  }
}

/** The number of ones, by adding neighbours: pairs, fours, eights, all. */
export function bitCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
