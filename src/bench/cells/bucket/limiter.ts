/** Runs at most `most` tasks at a time; the others wait for their turn. */
export function limiter(most: number): <T>(task: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (task) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve))
    else running++
    try {
      return await task()
    } finally {
      // the place goes to the next one, or is free
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
