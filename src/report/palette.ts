/**
 * Colours and shapes of method families, the same in every chart. Chosen to stay apart in the common forms of colour blindness
 * and to keep a contrast of at least 3:1 with the page, light and dark; shape and label repeat what colour says.
 */
export interface Ink {
  readonly light: string
  readonly dark: string
  readonly shape: 'circle' | 'square' | 'triangle-up' | 'triangle-down' | 'diamond' | 'cross'
}

const known: Record<string, Ink> = {
  unwatermarked: { light: '#6b7280', dark: '#a3abb8', shape: 'circle' },
  kgw: { light: '#c75000', dark: '#ff9a52', shape: 'square' },
  unigram: { light: '#a4317f', dark: '#f08fce', shape: 'diamond' },
  dipmark: { light: '#0064a3', dark: '#62b5f5', shape: 'triangle-up' },
  gammaReweight: { light: '#2f8fc4', dark: '#a6dcff', shape: 'triangle-down' },
  mcmark: { light: '#007a55', dark: '#45d6a2', shape: 'circle' },
  sta1: { light: '#8a6d00', dark: '#e6c84f', shape: 'cross' },
  synthid: { light: '#5a3dc8', dark: '#b3a1ff', shape: 'circle' },
  itsEdit: { light: '#7a4a21', dark: '#d8a679', shape: 'triangle-up' },
  expEdit: { light: '#26303f', dark: '#e8ecf3', shape: 'square' },
}

const spare: readonly Ink[] = [
  { light: '#1d7a8c', dark: '#5fd0e3', shape: 'diamond' },
  { light: '#b3261e', dark: '#ff8f86', shape: 'triangle-down' },
  { light: '#4d7c0f', dark: '#b5e36b', shape: 'cross' },
  { light: '#9a3412', dark: '#fdba8c', shape: 'triangle-up' },
]

/** The ink of each family, known ones first; others take the spare ones in order. */
export function inks(families: readonly string[]): Map<string, Ink> {
  const result = new Map<string, Ink>()
  let next = 0
  for (const family of families)
    if (!result.has(family)) result.set(family, known[family] ?? spare[next++ % spare.length]!)
  return result
}

/** All families of a chart, in order of appearance. */
export function familiesOf(items: readonly { readonly family: string }[]): string[] {
  return [...new Set(items.map((item) => item.family))]
}
