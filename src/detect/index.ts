export { type Detection, type DetectOptions, detect } from './detect.ts'
export type { Detector, Evidence, LawOf, NullLaw, Outcome } from './detector.ts'
export { binomial, exponential } from './null-laws.ts'
export { type SumDetectorOptions, sumDetector } from './sum-detector.ts'
