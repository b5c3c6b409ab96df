/** Runs the task on the first call; later calls get the same result. */
export function once<T>(task: () => Promise<T>): () => Promise<T> {
  let outcome: Promise<T> | undefined
  return () => {
    outcome ??= task()
    return outcome
  }
}
