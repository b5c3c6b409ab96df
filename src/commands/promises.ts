/** What each law promises, in words for people who meet it for the first time; and how much of a check it usually takes. */

interface Promise {
  readonly promise: string
  /** Seconds in a check of a shipped method on one core; only their ratios matter, for the time that is left. */
  readonly seconds: number
}

const promises: Readonly<Record<string, Promise>> = {
  'reweight gives a distribution': {
    promise: 'What the watermark makes of the model is a distribution: nothing negative, sum 1.',
    seconds: 0.1,
  },
  'same key, same result': {
    promise: 'One key gives one result, every time: else nobody could detect it.',
    seconds: 0.1,
  },
  'unbiased, exactly': {
    promise: 'Averaged over the codes that a key could draw, tokens keep their probabilities. Computed.',
    seconds: 0.1,
  },
  'the orbit is honest': {
    promise: 'The codes that were declared as equally likely are: the exact test above counts.',
    seconds: 0.5,
  },
  'unbiased over keys': {
    promise: 'The same with real secret keys and large vocabularies, sampled.',
    seconds: 5,
  },
  'unbiased over texts': {
    promise: 'Whole texts keep their probabilities, not only single tokens.',
    seconds: 0.6,
  },
  'equal pairs': {
    promise: 'Tokens of long texts do not agree with each other more often than the model says.',
    seconds: 3,
  },
  'warped first, then marked': {
    promise: 'Top-k and temperature come before the watermark; after it they would bias it.',
    seconds: 1,
  },
  'the null law is right': {
    promise: 'Text without the watermark gets a small p-value as rarely as the p-value says.',
    seconds: 2,
  },
  detectable: {
    promise: 'Watermarked text is detected.',
    seconds: 0.1,
  },
  drift: {
    promise: 'A detectable watermark shows when one prompt is asked often under one key.',
    seconds: 1,
  },
  'an edit reaches as far as declared': {
    promise: 'Changing one token touches only as many scores as the method declares.',
    seconds: 0.1,
  },
  'the certificate holds': {
    promise: 'Texts within the certified number of edits are still detected.',
    seconds: 0.8,
  },
  'shown biased': {
    promise: 'A method that declares a bias has one: the suite would notice.',
    seconds: 0.1,
  },
}

/** What a law promises; nothing for a law that is not among them. */
export const promiseOf = (law: string): string => promises[law]?.promise ?? ''

/** The usual share of a law in a check. */
export const usualSeconds = (law: string): number => promises[law]?.seconds ?? 0.5
