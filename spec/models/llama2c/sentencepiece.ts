/** BPE as sentencepiece and llama2.c do it, in plain steps: the oracle of tokenizer.json. */
import type { Vocabulary } from '../../../src/text/models/llama2c/tokenizer.ts'

const FIRST_PIECE = 259

/** The tokens of a text, without the begin token. */
export function encoder({ pieces, scores }: Vocabulary): (text: string) => number[] {
  const ids = new Map(pieces.map((piece, i) => [piece, i]))
  return (text) => {
    if (text === '') return []
    const symbols = Array.from(` ${text}`.replaceAll(' ', '\u2581'))
    for (;;) {
      // the pair with the highest score, the leftmost of equals
      let best = -1
      let top = Number.NEGATIVE_INFINITY
      for (let i = 0; i + 1 < symbols.length; i++) {
        const id = ids.get(symbols[i]! + symbols[i + 1]!)
        if (id !== undefined && scores[id]! > top) {
          top = scores[id]!
          best = i
        }
      }
      if (best < 0) break
      symbols.splice(best, 2, symbols[best]! + symbols[best + 1]!)
    }
    const text8 = new TextEncoder()
    return symbols.flatMap((symbol) => {
      const id = ids.get(symbol)
      return id === undefined ? Array.from(text8.encode(symbol), (byte) => byte + 3) : [id + FIRST_PIECE]
    })
  }
}
