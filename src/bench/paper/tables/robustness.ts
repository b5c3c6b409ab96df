import { publishedTable } from '../table.ts'

const attacks = {
  DIPPER: 'percent',
  'Random 30%': 'percent',
  'Random 20%': 'percent',
  'Random 10%': 'percent',
} as const

/** TPR at FPR 1% under attack. */
export const attackedAt1 = publishedTable({
  number: 4,
  label: 'tab:wm_by_attack_2',
  caption: 'Robustness (TPR@1%FPR) of watermarking method across different attack types.',
  columns: attacks,
  rows: `
    KGW(δ=0.5)       0.42%   4.26%   7.55%   8.19%
    KGW(δ=1.0)       0.21%  14.90%  24.48%  38.75%
    KGW(δ=1.5)       1.46%  37.60%  56.77%  75.10%
    KGW(δ=2.0)       1.35%  62.11%  78.32%  91.68%
    Unigram(δ=0.5)  34.90%  47.92%  56.67%  66.25%
    Unigram(δ=1.0)  40.52%  64.38%  80.52%  85.00%
    Unigram(δ=1.5)  44.48%  80.21%  89.16%  93.68%
    Unigram(δ=2.0)  58.85%  95.63%  98.02%  99.17%
    DIP(α=0.3)       0.83%   2.66%   7.23%  17.98%
    DIP(α=0.4)       0.42%   3.37%   7.37%  21.16%
    γ-reweight       0.73%   2.53%  11.47%  26.95%
    STA(γ=0.5)       2.29%   4.90%  12.29%  21.56%
    SynthID          3.02%   7.71%  14.58%  26.25%
    ITS-Edit         1.15%   2.40%   3.96%   6.04%
    EXP-Edit         0.94%  15.21%  21.46%  26.98%
    MCmark(n=10)     5.10%  39.26%  73.37%  96.11%
    MCmark(n=20)     3.85%  33.85%  61.56%  86.25%
    MCmark(n=50)     3.96%  37.92%  63.44%  85.63%
    MCmark(n=100)    3.02%  30.42%  50.52%  71.15%
  `,
})

/** TPR at FPR 0.1% under attack. */
export const attackedAt01 = publishedTable({
  number: 5,
  label: 'tab:wm_by_attack_3',
  caption: 'Robustness (TPR@0.1%FPR) of watermarking method across different attack types.',
  columns: attacks,
  rows: `
    KGW(δ=0.5)       0.00%   2.23%   2.45%   4.26%
    KGW(δ=1.0)       0.00%   4.69%   9.69%  18.75%
    KGW(δ=1.5)       0.31%  17.29%  35.00%  50.94%
    KGW(δ=2.0)       0.00%  40.21%  62.21%  80.53%
    Unigram(δ=0.5)  17.71%  25.21%  36.04%  43.65%
    Unigram(δ=1.0)  21.35%  41.88%  55.52%  69.06%
    Unigram(δ=1.5)  23.23%  61.58%  75.26%  85.16%
    Unigram(δ=2.0)  36.46%  86.88%  93.23%  95.83%
    DIP(α=0.3)       0.10%   0.96%   1.70%   6.28%
    DIP(α=0.4)       0.10%   0.74%   3.79%   8.21%
    γ-reweight       0.10%   1.58%   5.58%  13.58%
    STA(γ=0.5)       0.42%   0.73%   2.71%   8.85%
    SynthID          0.52%   2.60%   4.79%   9.90%
    ITS-Edit         0.00%   0.52%   1.67%   3.75%
    EXP-Edit         0.31%   8.96%  15.10%  19.17%
    MCmark(n=10)     0.52%  13.89%  46.32%  84.42%
    MCmark(n=20)     1.15%  18.44%  43.02%  70.94%
    MCmark(n=50)     0.94%  20.52%  44.79%  71.25%
    MCmark(n=100)    0.73%  17.29%  34.06%  56.77%
  `,
})

/** TPR at FPR 5% under attack. */
export const attackedAt5 = publishedTable({
  number: 6,
  label: 'tab:wm_by_attack',
  caption: 'Robustness (TPR@5%FPR) of watermarking method across different attack types.',
  columns: attacks,
  rows: `
    KGW(δ=0.5)       1.67%  14.89%  19.79%   21.60%
    KGW(δ=1.0)       2.08%  30.73%  47.81%   61.67%
    KGW(δ=1.5)       4.38%  58.13%  77.71%   89.17%
    KGW(δ=2.0)       5.63%  80.74%  91.16%   96.00%
    Unigram(δ=0.5)  53.75%  67.81%  78.85%   83.96%
    Unigram(δ=1.0)  60.83%  84.17%  92.19%   91.46%
    Unigram(δ=1.5)  63.33%  92.84%  94.32%   97.37%
    Unigram(δ=2.0)  74.79%  98.23%  99.48%  100.00%
    DIP(α=0.3)       2.29%   7.02%  16.91%   36.91%
    DIP(α=0.4)       1.77%   7.79%  18.21%   39.16%
    γ-reweight       1.88%  11.37%  23.68%   46.84%
    STA(γ=0.5)       6.88%  15.52%  28.23%   45.63%
    SynthID          9.90%  23.13%  32.60%   49.90%
    ITS-Edit         5.00%   8.23%  10.73%   11.88%
    EXP-Edit         5.10%  25.73%  29.69%   39.38%
    MCmark(n=10)    15.21%  61.26%  90.21%   99.05%
    MCmark(n=20)    13.85%  58.65%  79.90%   94.38%
    MCmark(n=50)    10.83%  56.46%  78.23%   91.77%
    MCmark(n=100)   10.63%  50.63%  68.85%   83.85%
  `,
})
