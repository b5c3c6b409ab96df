/** MarkLLM's EXP seeds its generator with the key times the product of the last four tokens, modulo the size of the vocabulary. */

/** P(the product of `tokens` uniform residues modulo `prime`^`power` is 0). */
function vanishes(prime: number, power: number, tokens: number): number {
  // how often the prime divides one residue: at least j times with probability prime^-j
  const one = Array.from({ length: power + 1 }, (_, j) =>
    j === power ? prime ** -j : prime ** -j * (1 - 1 / prime),
  )
  let law = [1]
  for (let i = 0; i < tokens; i++) {
    const next = new Array<number>(power + 1).fill(0)
    for (const [j, a] of law.entries())
      for (const [k, b] of one.entries()) next[Math.min(power, j + k)]! += a * b
    law = next
  }
  return law[power]!
}

/** P(the product of four tokens, each as likely as any other, is 0 modulo V): residues of different primes are independent. */
export function zeroProduct(vocabSize: number, tokens = 4): number {
  let [rest, probability] = [vocabSize, 1]
  for (let prime = 2; rest > 1; prime++) {
    let power = 0
    for (; rest % prime === 0; rest /= prime) power++
    if (power > 0) probability *= vanishes(prime, power, tokens)
  }
  return probability
}
