/** The thread that talks to a testee while the laws, which are synchronous, wait for its answer; see connection.ts. */
import { type MessagePort, workerData } from 'node:worker_threads'
import { type Answer, TesteeFailure, TesteeProcess, type TimedCommand } from './process.ts'

export interface ThreadData {
  readonly command: TimedCommand
  readonly port: MessagePort
  /** Counts messages to the laws, which sleep on it. */
  readonly bell: Int32Array
}

/** A request of the laws. `refuse`: an answer that was no good is the testee's failure, with what it wrote to standard error. */
export type Call =
  | { readonly cmd: string; readonly fields: object }
  | { readonly refuse: string; readonly cmd: string }
  | { readonly stop: true }

export type Reply =
  | Answer
  | { readonly failure: string }
  | { readonly bug: string }
  | { readonly stopped: true }

const { command, port, bell } = workerData as ThreadData
const testee = new TesteeProcess(command)

async function reply(call: Call): Promise<Reply> {
  try {
    if ('stop' in call) {
      await testee.stop()
      return { stopped: true }
    }
    if ('refuse' in call) return { failure: testee.refuse(call.refuse, call.cmd).message }
    return await testee.request(call.cmd, call.fields)
  } catch (error) {
    return error instanceof TesteeFailure ? { failure: error.message } : { bug: String(error) }
  }
}

port.on('message', async (call: Call) => {
  port.postMessage(await reply(call))
  Atomics.add(bell, 0, 1)
  Atomics.notify(bell, 0)
  if ('stop' in call) port.close()
})
