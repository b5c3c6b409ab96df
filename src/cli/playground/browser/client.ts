/** The page's side of the worker: questions as promises. */
import type { FromWorker, Kind, Requests, ToWorker } from './protocol.ts'

/** The error of a question that was stopped. */
export class Stopped extends Error {}

export interface Asked<K extends Kind> {
  readonly answer: Promise<Requests[K]['output']>
  stop(): void
}

interface Waiting {
  resolve(output: never): void
  reject(error: Error): void
  onEvent(event: never): void
}

export type Client = ReturnType<typeof startClient>

export function startClient(worker: Worker) {
  const waiting = new Map<number, Waiting>()
  let last = 0
  worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
    const one = waiting.get(data.id)
    if ('event' in data) return one?.onEvent(data.event as never)
    waiting.delete(data.id)
    if ('output' in data) one?.resolve(data.output as never)
    else one?.reject(data.stopped ? new Stopped(data.error) : new Error(data.error))
  })
  worker.addEventListener('error', ({ message }) => {
    for (const one of waiting.values()) one.reject(new Error(message || 'the worker could not be started'))
    waiting.clear()
  })
  const send = (message: ToWorker): void => worker.postMessage(message)
  return {
    ask<K extends Kind>(
      kind: K,
      input: Requests[K]['input'],
      onEvent: (event: Requests[K]['event']) => void = () => {},
    ): Asked<K> {
      last++
      const id = last
      const answer = new Promise<Requests[K]['output']>((resolve, reject) => {
        waiting.set(id, { resolve, reject, onEvent })
      })
      send({ id, kind, input })
      return { answer, stop: () => send({ id, kind: 'stop' }) }
    },
  }
}
