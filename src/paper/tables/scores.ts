import { publishedTable } from '../table.ts'

/** The three scores. The text defines them on [0, 100]; the table prints them on [0, 1]. */
export const scores = publishedTable({
  number: 7,
  label: 'tab:method_scores',
  caption:
    'Unbiasedness, detectability, and robustness scores of watermarking methods, sorted by Detectability score.',
  columns: { unbiasedness: 'score (of 1)', detectability: 'score (of 1)', robustness: 'score (of 1)' },
  rows: `
    SynthID         0.965  0.974  0.105
    MCmark(n=10)    0.985  0.971  0.423
    MCmark(n=20)    0.988  0.959  0.390
    MCmark(n=50)    0.989  0.945  0.398
    KGW(δ=2)        0.884  0.925  0.533
    MCmark(n=100)   0.985  0.906  0.330
    Unigram(δ=2)    0.872  0.903  0.855
    Unigram(δ=1.5)  0.927  0.838  0.711
    KGW(δ=1.5)      0.935  0.808  0.350
    KGW(δ=1)        0.972  0.724  0.155
    Unigram(δ=1)    0.972  0.723  0.590
    DiPmark(α=0.5)  0.980  0.719  0.078
    DiPmark(α=0.4)  0.985  0.702  0.058
    EXP             0.936  0.676  0.147
    STA(γ=0.5)      0.988  0.676  0.079
    DiPmark(α=0.3)  0.991  0.660  0.051
    Unigram(δ=0.5)  0.991  0.502  0.436
    ITS             0.907  0.494  0.032
    KGW(δ=0.5)      0.988  0.461  0.054
  `,
})
