import { publishedTable } from '../table.ts'

const taskMetrics = {
  'summarization BERTScore': 'cosine similarity',
  'summarization ROUGE-1': 'F-measure',
  'summarization perplexity': 'perplexity',
  'translation BERTScore': 'cosine similarity',
  'translation BLEU': 'BLEU points (of 100)',
} as const

/** Unbiasedness a): task metrics, 1000 prompts, one generation each. */
export const oneShot = publishedTable({
  number: 1,
  label: 'tab:config1_delta',
  caption:
    'Unbiasedness evaluation a) (1000 prompts, 1 generations each). We evaluate the unbiasedness of watermarking methods on text summarization and machine translation tasks.',
  columns: taskMetrics,
  rows: `
    No watermark    0.3077  0.3807  6.39  0.5432  20.1681
    Unigram(δ=0.5)  0.3080  0.3773  6.54  0.5436  20.0175
    Unigram(δ=1.0)  0.3053  0.3775  6.85  0.5388  20.1276
    Unigram(δ=1.5)  0.2955  0.3656  7.51  0.5307  19.5000
    Unigram(δ=2.0)  0.2848  0.3566  8.28  0.5191  18.4838
    KGW(δ=0.5)      0.3012  0.3757  6.52  0.5472  20.6198
    KGW(δ=1.0)      0.2977  0.3751  6.85  0.5348  19.9166
    KGW(δ=1.5)      0.2876  0.3686  7.56  0.5326  19.2318
    KGW(δ=2.0)      0.2769  0.3619  8.37  0.5218  17.9401
    DIP(α=0.3)      0.3082  0.3793  6.41  0.5422  20.2514
    DIP(α=0.4)      0.3081  0.3781  6.53  0.5446  20.4579
    γ-reweight      0.3032  0.3749  6.49  0.5394  20.5546
    MCmark(n=10)    0.3032  0.3755  6.39  0.5416  20.4171
    MCmark(n=20)    0.3054  0.3780  6.41  0.5486  20.0984
    MCmark(n=50)    0.3099  0.3810  6.45  0.5400  20.1503
    MCmark(n=100)   0.3080  0.3800  6.46  0.5466  20.6732
    STA-1           0.3066  0.3793  6.25  0.5492  20.5561
    SynthID         0.3049  0.3775  6.37  0.5445  20.4107
    EXP-Edit        0.3114  0.3797  6.19  0.5458  20.4879
    ITS-Edit        0.3032  0.3749  6.58  0.5091  17.9904
  `,
})

/** Unbiasedness b): SPMG gaps to the unwatermarked model, 10 prompts, 1000 generations each. */
export const repeated = publishedTable({
  number: 2,
  label: 'tab:config2_delta',
  caption:
    'Unbiasedness evaluation b) (10 prompts, 1000 generations each)We evaluate the unbiasedness of watermarking methods on text summarization and machine translation tasks with SPMG metric.',
  columns: taskMetrics,
  rows: `
    No watermark    0.0026  0.0017  0.1828  0.0033  0.1199
    Unigram(δ=0.5)  0.0037  0.0033  0.2197  0.0074  0.8311
    Unigram(δ=1.0)  0.0076  0.0076  0.6133  0.0181  1.7137
    Unigram(δ=1.5)  0.0146  0.0148  1.3664  0.0293  2.8560
    Unigram(δ=2.0)  0.0255  0.0256  2.4671  0.0423  3.9869
    KGW(δ=0.5)      0.0040  0.0023  0.1051  0.0041  0.5211
    KGW(δ=1.0)      0.0093  0.0062  0.4095  0.0106  1.1383
    KGW(δ=1.5)      0.0177  0.0121  0.9434  0.0178  1.5189
    KGW(δ=2.0)      0.0297  0.0199  1.9382  0.0232  2.0037
    DIP(α=0.3)      0.0050  0.0039  0.0484  0.0147  1.2311
    DIP(α=0.4)      0.0067  0.0059  0.1772  0.0149  1.6594
    γ-reweight      0.0071  0.0081  0.1570  0.0174  1.9001
    MCmark(n=10)    0.0073  0.0033  0.2456  0.0171  1.5756
    MCmark(n=20)    0.0066  0.0037  0.2914  0.0162  0.9958
    MCmark(n=50)    0.0069  0.0076  0.2771  0.0153  0.7727
    MCmark(n=100)   0.0080  0.0077  0.3068  0.0234  0.6486
    STA-1           0.0046  0.0035  0.1505  0.0107  0.8446
    SynthID         0.0159  0.0227  0.8254  0.0377  2.5266
    EXP-Edit        0.0422  0.0413  2.0032  0.0439  2.4104
    ITS-Edit        0.0355  0.0533  1.4912  0.0679  5.0746
  `,
})
