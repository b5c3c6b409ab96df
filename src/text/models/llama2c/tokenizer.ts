/**
 * `tokenizer.bin` of llama2.c: a sentencepiece BPE vocabulary with scores. Ids 0, 1 and 2 are unknown, begin and end; 3 to 258 are the
 * bytes; the rest are pieces, with spaces where sentencepiece has U+2581.
 */
import { outOfRange } from '../../../input.ts'

export interface Vocabulary {
  /** By id, from `FIRST_PIECE` on. */
  readonly pieces: readonly string[]
  readonly scores: readonly number[]
}

const SPECIAL = ['<unk>', '<s>', '</s>'] as const
const BEGIN = 1
/** Ids below are special tokens and bytes. */
const FIRST_PIECE = SPECIAL.length + 256
const SPACE = '\u2581'

/** Reads an int32 (longest piece), then for each id a float32 score, an int32 length and as many bytes of UTF-8. */
export function readVocabulary(bytes: Uint8Array, vocabSize: number): Vocabulary {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const pieces: string[] = []
  const scores: number[] = []
  let at = 4
  for (let id = 0; id < vocabSize; id++) {
    const end = at + 8 <= bytes.length ? at + 8 + view.getInt32(at + 4, true) : Number.NaN
    if (!(end >= at + 8 && end <= bytes.length))
      throw outOfRange('tokenizer.bin', `${vocabSize} pieces`, `${id} whole ones in ${bytes.length} bytes`)
    if (id >= FIRST_PIECE) {
      pieces.push(decoder.decode(bytes.subarray(at + 8, end)).replaceAll(' ', SPACE))
      scores.push(view.getFloat32(at, true))
    }
    at = end
  }
  if (vocabSize <= FIRST_PIECE)
    throw outOfRange('tokenizer.bin', `more than ${FIRST_PIECE} pieces`, vocabSize)
  return { pieces, scores }
}

/**
 * Returns all pairs of pieces that join to a piece, best first. Sentencepiece joins the pair with the highest score, the leftmost of equals;
 * BPE as tokenizer.json describes it joins the pair with the best rank. Scores differ except for runs of spaces, which therefore
 * grow from the left: among equal scores, the pair with the longer left part ranks first.
 */
function merges({ pieces, scores }: Vocabulary): [string, string][] {
  const known = new Set(pieces)
  const found = pieces.flatMap((piece, i) => {
    const characters = Array.from(piece)
    const splits = characters.slice(1).map((_, j): [string, string] => {
      return [characters.slice(0, j + 1).join(''), characters.slice(j + 1).join('')]
    })
    return splits
      .filter((pair) => pair.every((part) => known.has(part)))
      .map((pair) => ({ pair, score: scores[i]!, left: pair[0].length }))
  })
  return found.sort((a, b) => b.score - a.score || b.left - a.left).map(({ pair }) => pair)
}

const byteToken = (byte: number): string => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`

/** Returns the content of tokenizer.json: a leading space is added before a text and the begin token before a prompt, as llama2.c does. */
export function tokenizerJson(vocabulary: Vocabulary): object {
  const tokens = [
    ...SPECIAL,
    ...Array.from({ length: 256 }, (_, byte) => byteToken(byte)),
    ...vocabulary.pieces,
  ]
  const begin = { SpecialToken: { id: SPECIAL[BEGIN], type_id: 0 } }
  const text = { Sequence: { id: 'A', type_id: 0 } }
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: SPECIAL.map((content, id) => ({
      id,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: {
      type: 'Sequence',
      normalizers: [
        { type: 'Prepend', prepend: SPACE },
        { type: 'Replace', pattern: { String: ' ' }, content: SPACE },
      ],
    },
    pre_tokenizer: null,
    post_processor: {
      type: 'TemplateProcessing',
      single: [begin, text],
      pair: [begin, text, { Sequence: { id: 'B', type_id: 1 } }],
      special_tokens: { [SPECIAL[BEGIN]]: { id: SPECIAL[BEGIN], ids: [BEGIN], tokens: [SPECIAL[BEGIN]] } },
    },
    decoder: {
      type: 'Sequence',
      decoders: [
        { type: 'Replace', pattern: { String: SPACE }, content: ' ' },
        { type: 'ByteFallback' },
        { type: 'Fuse' },
        { type: 'Strip', content: ' ', start: 1, stop: 0 },
      ],
    },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: SPECIAL[0],
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: true,
      byte_fallback: true,
      ignore_merges: false,
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      merges: merges(vocabulary),
    },
  }
}
