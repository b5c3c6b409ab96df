/** A llama2.c model as a folder in the hub's layout. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readCheckpoint } from './checkpoint.ts'
import { llamaGraph } from './graph.ts'
import { readVocabulary, tokenizerJson } from './tokenizer.ts'

/** Stories begin with this token, and nothing else marks their end. */
const BEGIN = 1

/** Writes a model from a checkpoint that is directly followed by its `tokenizer.bin`. */
export async function writeLlamaFolder(bytes: Uint8Array, folder: string): Promise<void> {
  const checkpoint = readCheckpoint(bytes)
  const { width, hidden, layers, heads, vocabSize, positions } = checkpoint.sizes
  const vocabulary = readVocabulary(bytes.subarray(checkpoint.byteLength), vocabSize)
  const files = {
    'config.json': {
      architectures: ['LlamaForCausalLM'],
      model_type: 'llama',
      vocab_size: vocabSize,
      hidden_size: width,
      intermediate_size: hidden,
      num_hidden_layers: layers,
      num_attention_heads: heads,
      num_key_value_heads: heads,
      head_dim: width / heads,
      max_position_embeddings: positions,
      rms_norm_eps: 1e-5,
      rope_theta: 10000,
      hidden_act: 'silu',
      tie_word_embeddings: true,
      bos_token_id: BEGIN,
      eos_token_id: BEGIN,
      torch_dtype: 'float32',
    },
    'generation_config.json': { bos_token_id: BEGIN, eos_token_id: BEGIN, do_sample: true },
    'tokenizer.json': tokenizerJson(vocabulary),
    'tokenizer_config.json': {
      tokenizer_class: 'LlamaTokenizer',
      bos_token: '<s>',
      eos_token: '</s>',
      unk_token: '<unk>',
      add_bos_token: true,
      add_eos_token: false,
      model_max_length: positions,
      clean_up_tokenization_spaces: false,
      legacy: true,
    },
  }
  await mkdir(join(folder, 'onnx'), { recursive: true })
  for (const [name, content] of Object.entries(files))
    await writeFile(join(folder, name), JSON.stringify(content))
  await writeFile(join(folder, 'onnx', 'model.onnx'), llamaGraph(checkpoint))
}
