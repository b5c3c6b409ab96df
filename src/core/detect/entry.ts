export type {
  Detector,
  Evidence,
  LawOf,
  NullLaw,
  Outcome,
  ScoredText,
  SumDetectorOptions,
} from '../../watermark.ts'
export { type AlignmentDetectorOptions, alignmentDetector } from './alignment-detector.ts'
export { type CombinedEvidence, type CombineOptions, combine, type EvidencePart } from './combine.ts'
export { type Decoded, type DecodedBlock, type DecodeOptions, decode } from './decode.ts'
export { type Detection, type DetectOptions, detect } from './detect.ts'
export { type AnyDetection, type Candidate, type DetectAnyOptions, detectAny } from './detect-any.ts'
export { type DetectManyOptions, detectMany } from './detect-many.ts'
export type { StreamedMessage } from './message-stream.ts'
export { binomial, exponential, lattice, weightedBits, withoutReplacement } from './null-laws.ts'
export { type PairDetectorOptions, pairDetector } from './pair-detector.ts'
export { detectRandomised } from './randomised.ts'
export { type ScanDetectorOptions, scanDetector } from './scan-detector.ts'
export { type Segment, type SegmentsOptions, segments } from './segments.ts'
export { type StreamedEvidence, type StreamOptions, stream, type TokenStream } from './stream.ts'
export { sumDetector } from './sum-detector.ts'
export { type WindowDetectorOptions, windowDetector } from './window-detector.ts'
export { type DetectWithModelOptions, detectWithModel } from './with-model.ts'
