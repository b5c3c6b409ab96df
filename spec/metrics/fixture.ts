import { readFileSync } from 'node:fs'

/** Reads a file of fixtures/metrics; its README says where the values come from. */
export const fixture = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../fixtures/metrics/${name}.json`, import.meta.url), 'utf8'))

type Triple = [precision: number, recall: number, f1: number]

export interface ReferencePair {
  hypothesis: string
  reference: string
  tokens: string[]
  bleu: Record<'exp' | 'floor' | 'add-k' | 'none', number>
  lowercase: number
  rouge: Record<'1' | '2' | 'L', Triple>
  stemmed: Record<'1' | '2' | 'L', Triple>
}

export const referencePairs = (): ReferencePair[] => fixture('values').pairs
