/** Trainings on marked texts of the embedded models: written by scripts/train-synthid.mjs. */
import type { BitTraining } from './bit-training.ts'

/**
 * Trainings of the Bayesian detector of `synthid()` on the embedded models, at the temperatures of the benchmark, each calibrated on 1,000 marked and 1,000 unmarked texts of 8 to 64
 * tokens from other prompts.
 * @example embeddedTrainings['uwbench-lm'].rates.length // 20
 */
export const embeddedTrainings = {
  'uwbench-lm': {
    name: 'uwbench-lm',
    rates: [
      0.619, 0.6098, 0.6115, 0.6043, 0.6066, 0.5974, 0.5918, 0.5849, 0.5908, 0.5837, 0.5754, 0.5705, 0.566,
      0.561, 0.572, 0.5582, 0.559, 0.5531, 0.552, 0.5493,
    ],
    tokens: 17004,
    calibration: {
      bins: [
        { from: 0, marked: 5, unmarked: 633 },
        { from: 0.01, marked: 13, unmarked: 184 },
        { from: 0.1, marked: 53, unmarked: 128 },
        { from: 1, marked: 120, unmarked: 44 },
        { from: 10, marked: 136, unmarked: 11 },
        { from: 100, marked: 282, unmarked: 0 },
        { from: 10000, marked: 391, unmarked: 0 },
      ],
      marked: 1000,
      unmarked: 1000,
    },
  },
  stories15m: {
    name: 'stories15m',
    rates: [
      0.5994, 0.5989, 0.5899, 0.5892, 0.5855, 0.5804, 0.5676, 0.5672, 0.5682, 0.5629, 0.5652, 0.5655, 0.55,
      0.5504, 0.551, 0.5485, 0.5456, 0.5484, 0.5416, 0.5375,
    ],
    tokens: 22162,
    calibration: {
      bins: [
        { from: 0, marked: 3, unmarked: 552 },
        { from: 0.01, marked: 21, unmarked: 207 },
        { from: 0.1, marked: 81, unmarked: 155 },
        { from: 1, marked: 160, unmarked: 76 },
        { from: 10, marked: 199, unmarked: 10 },
        { from: 100, marked: 288, unmarked: 0 },
        { from: 10000, marked: 248, unmarked: 0 },
      ],
      marked: 1000,
      unmarked: 1000,
    },
  },
} satisfies Readonly<Record<string, BitTraining>>
