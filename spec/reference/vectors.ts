import { readFileSync } from 'node:fs'

/** The values that public implementations printed; fixtures/reference/README.md says how they were made. */
export const vectors = JSON.parse(
  readFileSync(new URL('../../fixtures/reference/vectors.json', import.meta.url), 'utf8'),
) as {
  torch_cpu_generator: {
    seed: string
    randperm5: number[]
    randperm17: number[]
    randperm1000: number[]
    rand20_float32: number[]
    randint_0_2_64: number[]
    randint_0_10_20: number[]
    randperm50_then_randint20: [number[], number[]]
  }[]
  kgw_lefthash: {
    vocab: number
    ratio: number
    hashing_key: number
    cases: { prev: number; greenlist: number[] }[]
  }[]
  synthid_hf: SynthidVector & {
    sampling_table_size: number
    sampling_table_seed: number
    sampling_table_first64: number[]
    sampling_table_sum: number
  }
  synthid_google: SynthidVector & { hash_iv: string }
  synthid_update: {
    logits: number[]
    g_values: number[][]
    probs_2_leaves: number[]
    probs_3_leaves: number[]
  }[]
  reweight: ({ vocab: number; logits: number[]; shuffle: number[] } & Record<string, number[]>)[]
  mcmark_repo_ngram2: {
    private_key_hex: string
    vocab: number
    token_ids: number[]
    rng_seed: number[]
    green_quantile: number[]
    sta_green: number[]
    mcmark_hit: Record<string, number[]>
  }
  exp_edit: {
    key: number
    key_length: number
    vocab: number
    block: number
    gamma: number
    offset: number
    first_uniforms: number[]
    probs: number[][]
    tokens: number[]
    alignment_costs: number[][]
    statistic: number
  }[]
}

interface SynthidVector {
  ngram_len: number
  keys: number[]
  token_ids: number[]
  g_values: number[][]
  context_repetition_mask: number[]
}
