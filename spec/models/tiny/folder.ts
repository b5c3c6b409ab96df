/** Writes tiny models as folders in the hub's layout. */
import { mkdtempSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SIZE } from './builder.ts'
import { tinyCausal } from './causal.ts'
import { tinySeq2seq } from './seq2seq.ts'

const SPECIAL = ['<pad>', '<s>', '</s>', '<unk>', 'en_XX', 'ro_RO']
const WORDS = [...SPECIAL, ...'the cat sat on mat and dog ran to see a big red house by river far'.split(' ')]
WORDS.push(...Array.from({ length: SIZE.vocab - WORDS.length }, (_, i) => `w${i}`))

/** A word-level tokenizer.json; `around` are the special tokens before and after a text. */
function tokenizerJson(around: { before: string[]; after: string[] }): object {
  const special = (id: string) => ({ SpecialToken: { id, type_id: 0 } })
  const single = [
    ...around.before.map(special),
    { Sequence: { id: 'A', type_id: 0 } },
    ...around.after.map(special),
  ]
  const used = [...around.before, ...around.after]
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
    normalizer: null,
    pre_tokenizer: { type: 'WhitespaceSplit' },
    post_processor: {
      type: 'TemplateProcessing',
      single,
      pair: single,
      special_tokens: Object.fromEntries(
        used.map((id) => [id, { id, ids: [WORDS.indexOf(id)], tokens: [id] }]),
      ),
    },
    decoder: null,
    model: {
      type: 'WordLevel',
      vocab: Object.fromEntries(WORDS.map((word, i) => [word, i])),
      unk_token: '<unk>',
    },
  }
}

async function writeFolder(files: Record<string, object | Uint8Array>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'uwbench-'))
  await mkdir(join(folder, 'onnx'))
  for (const [name, content] of Object.entries(files))
    await writeFile(join(folder, name), content instanceof Uint8Array ? content : JSON.stringify(content))
  return folder
}

const TOKENIZER_CONFIG = {
  tokenizer_class: 'PreTrainedTokenizer',
  unk_token: '<unk>',
  pad_token: '<pad>',
  bos_token: '<s>',
  eos_token: '</s>',
  clean_up_tokenization_spaces: false,
}
const CHAT =
  "{% for m in messages %}{{ m['role'] }} {{ m['content'] }} {% endfor %}{% if add_generation_prompt %}and{% endif %}"

/** A causal model of the type gpt2. */
export function writeTinyCausal(changes: Record<string, object | Uint8Array> = {}): Promise<string> {
  const { vocab, width, heads, layers, positions } = SIZE
  return writeFolder({
    'config.json': {
      model_type: 'gpt2',
      architectures: ['GPT2LMHeadModel'],
      vocab_size: vocab,
      n_embd: width,
      n_head: heads,
      n_layer: layers,
      n_positions: positions,
      bos_token_id: 1,
      eos_token_id: 2,
    },
    'generation_config.json': { bos_token_id: 1, eos_token_id: [2, 3], pad_token_id: 0 },
    'tokenizer.json': tokenizerJson({ before: [], after: [] }),
    'tokenizer_config.json': { ...TOKENIZER_CONFIG, chat_template: CHAT },
    'onnx/model.onnx': tinyCausal(),
    'onnx/model_fp16.onnx': tinyCausal('float16'),
    ...changes,
  })
}

/** An encoder of the type bert. */
export function writeTinyEncoder(): Promise<string> {
  const { vocab, width, heads, layers, positions } = SIZE
  return writeFolder({
    'config.json': {
      model_type: 'bert',
      vocab_size: vocab,
      hidden_size: width,
      num_attention_heads: heads,
      num_hidden_layers: layers,
      max_position_embeddings: positions,
      pad_token_id: 0,
    },
    'tokenizer.json': tokenizerJson({ before: ['<s>'], after: ['</s>'] }),
    'tokenizer_config.json': TOKENIZER_CONFIG,
    'onnx/model.onnx': tinySeq2seq().encoder_model!,
  })
}

/** Settings in which the kinds of sequence-to-sequence models differ. */
const KINDS = {
  bart: {
    config: { decoder_start_token_id: 2, forced_bos_token_id: 1 },
    around: { before: ['<s>'], after: ['</s>'] },
  },
  mbart: { config: { decoder_start_token_id: 5 }, around: { before: [], after: ['</s>', 'en_XX'] } },
  t5: {
    config: { decoder_start_token_id: 0, n_positions: 8, relative_attention_num_buckets: 4 },
    around: { before: [], after: ['</s>'] },
  },
} as const
export type Seq2seqKind = keyof typeof KINDS

/** A sequence-to-sequence model, its decoder merged or split into two files. */
export async function writeTinySeq2seq(
  kind: Seq2seqKind,
  decoder: 'merged' | 'split' = 'merged',
): Promise<string> {
  const { vocab, width, heads, layers, positions } = SIZE
  const graphs = tinySeq2seq()
  const names =
    decoder === 'merged'
      ? ['encoder_model', 'decoder_model_merged']
      : ['encoder_model', 'decoder_model', 'decoder_with_past_model']
  const { config, around } = KINDS[kind]
  return writeFolder({
    'config.json': {
      model_type: kind,
      is_encoder_decoder: true,
      vocab_size: vocab,
      d_model: width,
      ...(kind === 't5'
        ? { num_heads: heads, num_layers: layers, num_decoder_layers: layers, d_kv: SIZE.head }
        : {
            encoder_attention_heads: heads,
            decoder_attention_heads: heads,
            encoder_layers: layers,
            decoder_layers: layers,
            max_position_embeddings: positions,
          }),
      bos_token_id: 1,
      eos_token_id: 2,
      pad_token_id: 0,
      ...config,
    },
    'generation_config.json': { bos_token_id: 1, eos_token_id: 2, pad_token_id: 0, ...config },
    'tokenizer.json': tokenizerJson({ before: [...around.before], after: [...around.after] }),
    'tokenizer_config.json': TOKENIZER_CONFIG,
    ...Object.fromEntries(names.map((name) => [`onnx/${name}.onnx`, graphs[name]!])),
  })
}
